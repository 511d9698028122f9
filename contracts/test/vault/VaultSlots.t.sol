// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {VaultFixture} from "../support/VaultFixture.sol";

/// @notice Where an order is stored. Proofs read these slots, so they can't change.
contract VaultSlotsTest is VaultFixture {
    function slot(bytes32 order, uint256 offset) internal view returns (uint256) {
        bytes32 at = bytes32(uint256(keccak256(abi.encode(order, uint256(0)))) + offset);
        return uint256(vm.load(address(vault), at));
    }

    function test_anOrdersSlots() public {
        bytes32 order = funded();
        uint256 firstAt = block.timestamp;
        fire(order, 0);
        vm.warp(firstAt + PERIOD + 3);
        fire(order, 1);
        uint256 endTime = vault.getOrder(order).endTime;
        assertEq(
            slot(order, 0),
            (TOTAL - 2 * EACH) | (2 << 96) | (block.timestamp << 128) | (firstAt << 160)
                | (endTime << 192) | (1 << 224) | (1 << 232)
        );
        assertEq(slot(order, 1), uint256(uint160(owner.addr)) | (EACH << 160));
        assertEq(slot(order, 2), uint256(uint160(address(usdc))) | (PERIOD << 160) | (DEST << 192));
        assertEq(slot(order, 3), uint256(uint160(tokenB)) | (EXPECTED << 160));
        vm.prank(owner.addr);
        vault.closeOrder(order);
        assertEq(slot(order, 0) & type(uint96).max, 0);
        assertEq(slot(order, 0) >> 224, 1 | (2 << 8));
    }

    function test_creditsAndUsedMessages() public {
        bytes32 order = funded();
        usdc.blacklist(owner.addr);
        vm.prank(owner.addr);
        vault.closeOrder(order);
        bytes32 inner = keccak256(abi.encode(owner.addr, uint256(1)));
        bytes32 at = keccak256(abi.encode(address(usdc), inner));
        assertEq(uint256(vm.load(address(vault), at)), TOTAL);

        vm.chainId(TESTNET);
        usdc.unBlacklist(owner.addr);
        bytes memory message = orderMessage(keccak256("again"));
        at = keccak256(
            abi.encode(keccak256(abi.encode(owner.addr, keccak256(message))), uint256(2))
        );
        assertEq(uint256(vm.load(address(vault), at)), 0);
        fundOrder(terms(), "again", owner);
        assertEq(uint256(vm.load(address(vault), at)), 1);
    }
}
