// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent} from "../src/interfaces/BridgeTypes.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice Every fact that enclaves prove, read from the slot where they look for it. The table is
///         in BridgeStorage.sol; a change here breaks every running enclave.
contract StorageLayoutTest is BridgeFixture {
    function test_record_head() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION / 4);
        vm.prank(solver);
        bridge.askRecipients(id);
        reveal(id, hex"05");
        Intent memory intent = intentOf(id);
        uint256 head = uint256(slotOf(id, 0));
        assertEq(take(head, 0, 96), AMOUNT + REWARD);
        assertEq(take(head, 96, 32), DURATION);
        assertEq(take(head, 128, 32), intent.endTime);
        assertEq(take(head, 160, 32), intent.fillDeadline);
        assertEq(take(head, 192, 16), 0, "token index");
        assertEq(take(head, 208, 8), 0, "destination index");
        assertEq(take(head, 216, 8), 2, "deposited");
        assertEq(take(head, 224, 8), 1, "250 bps");
        assertEq(take(head, 232, 8), 2, "a class of four");
        assertEq(take(head, 240, 8), 1, "quorum");
        assertEq(take(head, 248, 8), 4 + 8, "asked and revealed");
    }

    function test_record_indexesAndFlags() public {
        enact(abi.encodeCall(bridge.listDestination, (77)));
        listWith(address(verifier), 3);
        vm.prank(owner);
        bridge.delistToken(address(usdc));
        enact(abi.encodeCall(bridge.listToken, (address(usdc), MIN_ESCROW, MAX_ESCROW, 5)));
        vm.startPrank(periphery);
        uint256 id = bridge.createIntentFor(
            sender, address(usdc), tokenB, AMOUNT, EXPECTED, REWARD, 77, DURATION, BLOB
        );
        vm.stopPrank();
        vm.prank(sender);
        bridge.nameRecipients(id, hex"07");
        uint256 head = uint256(slotOf(id, 0));
        assertEq(take(head, 192, 16), 0, "a token keeps its index");
        assertEq(take(head, 208, 8), 1, "the second destination");
        assertEq(take(head, 240, 8), 5);
        assertEq(take(head, 248, 8), 1 + 2, "blob at creation, and named");
        assertEq(address(uint160(uint256(listSlot(3, 0)))), address(usdc));
        assertEq(address(uint160(uint256(listSlot(3, 1)))), address(verifier));
        assertEq(uint256(listSlot(4, 0)), DEST);
        assertEq(uint256(listSlot(4, 1)), 77);
    }

    function test_record_accountsAmountsAndBlobs() public {
        uint256 id = withBid();
        uint256 second = uint256(slotOf(id, 1));
        assertEq(address(uint160(take(second, 0, 160))), sender);
        assertEq(take(second, 160, 96), REWARD);
        uint256 third = uint256(slotOf(id, 2));
        assertEq(address(uint160(take(third, 0, 160))), tokenB);
        assertEq(take(third, 160, 96), EXPECTED);
        uint256 fourth = uint256(slotOf(id, 3));
        assertEq(address(uint160(take(fourth, 0, 160))), solver);
        assertEq(take(fourth, 160, 96), EXPECTED);
        bytes32 hash = keccak256(abi.encode(bytes32(0), uint8(2), keccak256(BLOB)));
        assertEq(slotOf(id, 4), hash);
    }

    function test_sealingKey() public view {
        bytes32 at = keccak256(abi.encode(solver, uint256(1)));
        assertEq(uint256(vm.load(address(bridge), at)), enclave.publicKeyX);
        bytes32 next = bytes32(uint256(at) + 1);
        assertEq(uint256(vm.load(address(bridge), next)), enclave.publicKeyY);
    }

    function test_delivery() public {
        vm.chainId(DEST);
        address[] memory recipients = new address[](2);
        uint256[] memory amounts = new uint256[](2);
        (recipients[0], recipients[1]) = (recipient, anyone);
        (amounts[0], amounts[1]) = (1e6, 2e6);
        uint256 id = (SOURCE << 64) | 9;
        bytes32 hash = keccak256("paramsHash");
        vm.prank(solver);
        bridge.solveIntent(SOURCE, id, hash, address(usdc), recipients, amounts, block.timestamp);
        bytes32 key = keccak256(
            abi.encode(
                SOURCE, id, hash, address(usdc), solver, keccak256(abi.encode(recipients, amounts))
            )
        );
        uint256 word = uint256(vm.load(address(bridge), keccak256(abi.encode(key, uint256(2)))));
        assertEq(take(word, 0, 64), 1);
        assertEq(take(word, 64, 64), block.timestamp);
        (uint64 sequence, uint64 solvedAt) = bridge.deliveryAt(key);
        assertEq(sequence, 1);
        assertEq(solvedAt, block.timestamp);
    }

    function test_paramsHash_isRecomputedFromTheRecord() public {
        uint256 id = create();
        bytes32 expected = keccak256(
            abi.encode(
                SOURCE,
                address(bridge),
                sender,
                address(usdc),
                tokenB,
                AMOUNT,
                EXPECTED,
                REWARD,
                DEST,
                DURATION
            )
        );
        assertEq(intentOf(id).paramsHash, expected);
    }

    function slotOf(uint256 id, uint256 offset) private view returns (bytes32) {
        uint256 first = uint256(keccak256(abi.encode(id, uint256(0))));
        return vm.load(address(bridge), bytes32(first + offset));
    }

    function listSlot(uint256 list_, uint256 index) private view returns (bytes32) {
        return vm.load(address(bridge), bytes32(uint256(keccak256(abi.encode(list_))) + index));
    }

    function take(uint256 word, uint256 from, uint256 bits) private pure returns (uint256) {
        return (word >> from) & ((1 << bits) - 1);
    }
}
