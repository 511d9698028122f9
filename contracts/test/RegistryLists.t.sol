// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {
    DevelopmentAttestationVerifier
} from "../src/attestation/DevelopmentAttestationVerifier.sol";
import {IAttestationVerifier} from "../src/interfaces/IAttestationVerifier.sol";
import {IRegistryErrors} from "../src/interfaces/IRegistryErrors.sol";
import {IRegistryEvents} from "../src/interfaces/IRegistryEvents.sol";
import {Deployed} from "./support/Deployed.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @notice Operators, measurements, the verifier and the owner: announced, and removed at once.
contract RegistryListsTest is RegistryFixture {
    function test_listOperator_countsAfterFourDays() public {
        uint64 countsFrom = uint64(block.timestamp + 4 days);
        vm.expectEmit(address(registry));
        emit IRegistryEvents.OperatorListed(second.addr, countsFrom);
        vm.prank(owner);
        registry.listOperator(second.addr);
        assertEq(registry.operatorOf(second.addr).listing, countsFrom);
        assertEq(registry.operatorOf(second.addr).removal, 0);
        assertEq(registry.operatorCount(), 2);
        vm.warp(countsFrom - 1);
        expectRefusal(
            registrationOf(registry, verifier, key, second, MEASUREMENT),
            abi.encodeWithSelector(
                IRegistryErrors.OperatorNotListed.selector, second.addr, countsFrom, 0
            )
        );
        vm.warp(countsFrom);
        registerKey(registry, verifier, key, second, MEASUREMENT);
        skip(ACTIVATION);
        assertTrue(registry.isActive(key.addr));
        (, address by) = registry.countsFor(key.addr, 0, 1);
        assertEq(by, second.addr);
    }

    function test_listOperator_twice_reverts() public {
        vm.startPrank(owner);
        bytes memory reason =
            abi.encodeWithSelector(IRegistryErrors.OperatorAlreadyListed.selector, operator.addr);
        vm.expectRevert(reason);
        registry.listOperator(operator.addr);
        registry.removeOperator(operator.addr);
        vm.expectRevert(reason);
        registry.listOperator(operator.addr);
        vm.expectRevert(abi.encodeWithSelector(IRegistryErrors.InvalidAddress.selector, address(0)));
        registry.listOperator(address(0));
    }

    function test_removeOperator_endsItsKeysAtOnceAndForGood() public {
        activeKey();
        vm.expectEmit(address(registry));
        emit IRegistryEvents.OperatorRemoved(operator.addr);
        vm.prank(owner);
        registry.removeOperator(operator.addr);
        assertFalse(registry.isActive(key.addr));
        assertEq(registry.operatorOf(operator.addr).removal, block.timestamp);
        assertEq(registry.operatorCount(), 0);
        bytes memory reason = abi.encodeWithSelector(
            IRegistryErrors.OperatorNotListed.selector,
            operator.addr,
            registry.operatorOf(operator.addr).listing,
            block.timestamp
        );
        expectRefusal(registration(), reason);
        vm.expectRevert(reason);
        vm.prank(owner);
        registry.removeOperator(operator.addr);
    }

    /// @dev An announcement that never counted leaves nothing behind.
    function test_removeOperator_beforeItCounts_canBeAnnouncedAgain() public {
        vm.startPrank(owner);
        registry.listOperator(second.addr);
        skip(4 days - 1);
        registry.removeOperator(second.addr);
        assertEq(registry.operatorOf(second.addr).listing, 0);
        assertEq(registry.operatorOf(second.addr).removal, 0);
        assertEq(registry.operatorCount(), 1);
        registry.listOperator(second.addr);
        assertEq(registry.operatorOf(second.addr).listing, block.timestamp + 4 days);
        skip(4 days);
        registry.removeOperator(second.addr);
        assertEq(registry.operatorOf(second.addr).removal, block.timestamp);
    }

    function test_removeOperator_unknown_reverts() public {
        vm.expectRevert(
            abi.encodeWithSelector(IRegistryErrors.OperatorNotListed.selector, anyone, 0, 0)
        );
        vm.prank(owner);
        registry.removeOperator(anyone);
    }

    function test_allowMeasurement_countsAfterFourDays() public {
        uint64 countsFrom = uint64(block.timestamp + 4 days);
        vm.expectEmit(address(registry));
        emit IRegistryEvents.MeasurementAllowed(OTHER, 2, countsFrom);
        vm.prank(owner);
        registry.allowMeasurement(OTHER);
        (uint64 from, uint32 generation) = registry.measurementOf(OTHER);
        assertEq(from, countsFrom);
        assertEq(generation, 2);
        vm.warp(countsFrom - 1);
        expectRefusal(
            registrationOf(registry, verifier, key, operator, OTHER),
            abi.encodeWithSelector(
                IRegistryErrors.MeasurementNotAllowed.selector, OTHER, countsFrom
            )
        );
        vm.warp(countsFrom);
        registerKey(registry, verifier, key, operator, OTHER);
        skip(ACTIVATION);
        assertTrue(registry.isActive(key.addr));
        assertEq(registry.keyOf(key.addr).generation, 2);
    }

    function test_allowMeasurement_twice_reverts() public {
        vm.expectRevert(
            abi.encodeWithSelector(IRegistryErrors.MeasurementAlreadyAllowed.selector, MEASUREMENT)
        );
        vm.prank(owner);
        registry.allowMeasurement(MEASUREMENT);
    }

    function test_removeMeasurement_endsItsKeysAtOnceAndForGood() public {
        activeKey();
        vm.expectEmit(address(registry));
        emit IRegistryEvents.MeasurementRemoved(MEASUREMENT, 1);
        vm.prank(owner);
        registry.removeMeasurement(MEASUREMENT);
        assertFalse(registry.isActive(key.addr));
        assertEq(registry.removalOf(1), block.timestamp);
        (uint64 from, uint32 generation) = registry.measurementOf(MEASUREMENT);
        assertEq(from, 0);
        assertEq(generation, 0);
        expectRefusal(
            registrationOf(registry, verifier, another, operator, MEASUREMENT),
            abi.encodeWithSelector(IRegistryErrors.MeasurementNotAllowed.selector, MEASUREMENT, 0)
        );
    }

    /// @dev A measurement allowed again waits the full delay, and its old keys stay out.
    function test_removeMeasurement_allowedAgain_takesTheWholeDelay() public {
        activeKey();
        vm.startPrank(owner);
        registry.removeMeasurement(MEASUREMENT);
        registry.allowMeasurement(MEASUREMENT);
        vm.stopPrank();
        (uint64 from, uint32 generation) = registry.measurementOf(MEASUREMENT);
        assertEq(from, block.timestamp + 4 days);
        assertEq(generation, 2);
        vm.warp(from - 1);
        expectRefusal(
            registrationOf(registry, verifier, another, operator, MEASUREMENT),
            abi.encodeWithSelector(
                IRegistryErrors.MeasurementNotAllowed.selector, MEASUREMENT, from
            )
        );
        vm.warp(from);
        register(another);
        skip(ACTIVATION);
        assertTrue(registry.isActive(another.addr));
        assertFalse(registry.isActive(key.addr), "keys of an earlier allowance stay out");
    }

    function test_removeMeasurement_evenBeforeItCounts() public {
        vm.startPrank(owner);
        registry.allowMeasurement(OTHER);
        registry.removeMeasurement(OTHER);
        vm.expectRevert(
            abi.encodeWithSelector(IRegistryErrors.MeasurementNotAllowed.selector, OTHER, 0)
        );
        registry.removeMeasurement(OTHER);
        vm.stopPrank();
        skip(4 days);
        (uint64 from,) = registry.measurementOf(OTHER);
        assertEq(from, 0);
    }

    function test_verifier_followsAfterFourDays() public {
        activeKey();
        DevelopmentAttestationVerifier next = DevelopmentAttestationVerifier(
            Deployed.create("DevelopmentAttestationVerifier", abi.encode(key.addr))
        );
        uint64 at = uint64(block.timestamp + 4 days);
        vm.expectEmit(address(registry));
        emit IRegistryEvents.VerifierProposed(address(next), at);
        vm.prank(owner);
        registry.proposeVerifier(next);
        assertEq(address(registry.proposedVerifier()), address(next));
        assertEq(registry.verifierInstallableAt(), at);
        vm.warp(at - 1);
        expectNotInstallableBefore(at);
        vm.warp(at);
        vm.expectEmit(address(registry));
        emit IRegistryEvents.VerifierInstalled(address(next));
        vm.prank(anyone);
        registry.installVerifier();
        assertEq(address(registry.verifier()), address(next));
        assertEq(address(registry.proposedVerifier()), address(0));
        assertTrue(registry.isActive(key.addr), "keys outlive the verifier");
        vm.expectRevert(IRegistryErrors.NoVerifierProposed.selector);
        registry.installVerifier();
    }

    /// @dev Otherwise one harmless announcement would be enough for every later verifier.
    function test_verifier_eachProposalHasItsOwnDelay() public {
        vm.prank(owner);
        registry.proposeVerifier(verifier);
        skip(4 days);
        DevelopmentAttestationVerifier next = DevelopmentAttestationVerifier(
            Deployed.create("DevelopmentAttestationVerifier", abi.encode(key.addr))
        );
        vm.prank(owner);
        registry.proposeVerifier(next);
        uint64 at = uint64(block.timestamp + 4 days);
        expectNotInstallableBefore(at);
        vm.warp(at - 1);
        expectNotInstallableBefore(at);
    }

    function test_verifier_proposalCanBeWithdrawn() public {
        vm.startPrank(owner);
        registry.proposeVerifier(verifier);
        registry.proposeVerifier(IAttestationVerifier(address(0)));
        vm.stopPrank();
        skip(4 days);
        vm.expectRevert(IRegistryErrors.NoVerifierProposed.selector);
        registry.installVerifier();
    }

    function test_verifier_withoutCode_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(IRegistryErrors.InvalidAddress.selector, anyone));
        vm.prank(owner);
        registry.proposeVerifier(IAttestationVerifier(anyone));
    }

    function test_removeVerifier_endsRegistrationsAtOnce() public {
        activeKey();
        vm.expectEmit(address(registry));
        emit IRegistryEvents.VerifierInstalled(address(0));
        vm.prank(owner);
        registry.removeVerifier();
        expectRefusal(
            registrationOf(registry, verifier, another, operator, MEASUREMENT),
            abi.encodeWithSelector(IRegistryErrors.NoVerifier.selector)
        );
        assertTrue(registry.isActive(key.addr));
    }

    function test_administration_isTheOwnersAlone() public {
        vm.startPrank(anyone);
        bytes[6] memory calls = [
            abi.encodeCall(registry.listOperator, (second.addr)),
            abi.encodeCall(registry.removeOperator, (operator.addr)),
            abi.encodeCall(registry.allowMeasurement, (OTHER)),
            abi.encodeCall(registry.removeMeasurement, (MEASUREMENT)),
            abi.encodeCall(registry.proposeVerifier, (verifier)),
            abi.encodeCall(registry.removeVerifier, ())
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool success, bytes memory reason) = address(registry).call(calls[i]);
            assertFalse(success);
            assertEq(
                reason, abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, anyone)
            );
        }
    }

    /// @dev A mistyped owner never gets ownership: the new owner has to accept it.
    function test_ownership_needsTwoSteps() public {
        vm.prank(owner);
        registry.transferOwnership(anyone);
        assertEq(registry.owner(), owner);
        assertEq(registry.pendingOwner(), anyone);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, anyone));
        vm.prank(anyone);
        registry.listOperator(second.addr);
        vm.prank(anyone);
        registry.acceptOwnership();
        assertEq(registry.owner(), anyone);
    }

    function expectNotInstallableBefore(uint64 at) private {
        vm.expectRevert(
            abi.encodeWithSelector(IRegistryErrors.VerifierNotInstallableYet.selector, at)
        );
        registry.installVerifier();
    }
}
