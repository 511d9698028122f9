// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {RegistryFixture} from "./support/RegistryFixture.sol";

/// @notice Which keys count for an intent: active now or at its deposit, whatever happened since.
contract RegistryHistoryTest is RegistryFixture {
    uint256 private deposit;

    function setUp() public override {
        super.setUp();
        activeKey();
        skip(100);
        deposit = block.timestamp;
    }

    function test_countsFor_whileActive() public view {
        assertTrue(counts(deposit, 1));
        assertTrue(counts(0, 1), "active now is enough");
        (, address by) = registry.countsFor(key.addr, deposit, 1);
        assertEq(by, operator.addr);
    }

    function test_countsFor_afterItsExpiry() public {
        uint256 expiry = registry.keyOf(key.addr).expiry;
        vm.warp(expiry);
        assertTrue(counts(expiry - 1, 1));
        assertTrue(counts(expiry - 1, 3));
        assertFalse(counts(expiry, 1));
    }

    function test_countsFor_beforeItsActivation() public {
        uint256 activation = registry.keyOf(key.addr).activation;
        vm.warp(registry.keyOf(key.addr).expiry);
        assertTrue(counts(activation, 1));
        assertFalse(counts(activation - 1, 1));
        registerKey(registry, verifier, another, operator, MEASUREMENT);
        (bool does,) = registry.countsFor(another.addr, block.timestamp, 1);
        assertFalse(does, "not even its own registration's time");
    }

    /// @dev A winner that delivered keeps the keys that were good when it deposited.
    function test_countsFor_afterItsMeasurementWasRemoved() public {
        skip(1);
        vm.prank(owner);
        registry.removeMeasurement(MEASUREMENT);
        assertCountsForDepositsBefore(block.timestamp);
    }

    function test_countsFor_afterItsOperatorWasRemoved() public {
        skip(1);
        vm.prank(owner);
        registry.removeOperator(operator.addr);
        assertCountsForDepositsBefore(block.timestamp);
    }

    /// @dev A single key may be stolen: with a quorum of one, a revocation ends everything.
    function test_countsFor_afterItsRevocation_onlyWithOthers() public {
        skip(1);
        vm.prank(owner);
        registry.revoke(key.addr);
        assertFalse(counts(deposit, 1));
        assertTrue(counts(deposit, 2));
        assertTrue(counts(deposit, 8));
        assertFalse(counts(block.timestamp, 2));
        (bool does, address by) = registry.countsFor(key.addr, deposit, 1);
        assertFalse(does);
        assertEq(by, operator.addr);
        skip(1);
        assertFalse(counts(deposit, 1));
        assertFalse(counts(block.timestamp - 1, 2));
    }

    /// @dev No key of an operator or measurement announced after a deposit can decide about it.
    function test_additionsTakeLongerThanAnyOpenIntent() public view {
        assertGt(registry.ADDITION_DELAY(), 1 hours + 72 hours);
    }

    function assertCountsForDepositsBefore(uint256 end) private {
        for (uint256 i = 0; i < 2; ++i) {
            assertFalse(registry.isActive(key.addr));
            assertTrue(counts(deposit, 1));
            assertTrue(counts(end - 1, 2));
            assertFalse(counts(end, 1));
            assertFalse(counts(end, 2));
            skip(10 days);
        }
    }
}
