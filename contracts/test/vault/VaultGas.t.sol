// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {FundingRequest, OrderTerms} from "../../src/interfaces/IOrderVault.sol";
import {VaultFixture} from "../support/VaultFixture.sol";

/// @notice Whole-transaction gas of a vault in use; committed under contracts/snapshots.
/// forge-config: default.isolate = true
contract VaultGasTest is VaultFixture {
    string private constant FILE = "vault";

    function filled(uint256 size) internal pure returns (bytes memory made) {
        made = new bytes(size);
        for (uint256 i = 0; i < size; ++i) {
            made[i] = 0x01;
        }
    }

    function test_gas_vault() public {
        funded();
        OrderTerms memory given = terms();
        bytes memory encrypted = filled(900);
        bytes32 order = keccak256(encrypted);
        bytes memory message = orderMessage(order);
        bytes memory signature = personalSign(owner, message);
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(order, given));
        vm.prank(anyone);
        vault.fundOrder(FundingRequest(given, 11), encrypted, message, signature, signatures);
        vm.snapshotGasLastCall(FILE, "fundOrder, 900 bytes");
        uint256 start = block.timestamp;
        fire(order, 0, filled(512));
        vm.warp(start + PERIOD);
        signatures = quorumOf(1, vault.trancheDigest(order, 1, keccak256(filled(512))));
        vm.prank(anyone);
        vault.fireTranche(order, 1, filled(512), signatures);
        vm.snapshotGasLastCall(FILE, "fireTranche, 512 bytes");
        uint256 snapshot = vm.snapshotState();
        vm.prank(owner.addr);
        vault.closeOrder(order);
        vm.snapshotGasLastCall(FILE, "closeOrder, by the owner");
        assertTrue(vm.revertToState(snapshot));
        signatures = quorumOf(1, vault.closeDigest(order));
        vm.prank(anyone);
        vault.closeOrderSigned(order, signatures);
        vm.snapshotGasLastCall(FILE, "closeOrderSigned");
    }
}
