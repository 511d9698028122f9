// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../src/EnclaveKeyRegistry.sol";
import {
    DevelopmentAttestationVerifier
} from "../src/attestation/DevelopmentAttestationVerifier.sol";
import {DevelopmentChains} from "../src/attestation/DevelopmentChains.sol";
import {IAttestationVerifier} from "../src/interfaces/IAttestationVerifier.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Which keys count, since when and until when.
contract RegistryTest is BridgeFixture {
    bytes32 private constant OTHER = keccak256("other program");

    Vm.Wallet private key = vm.createWallet("another enclave key");

    function test_constructor_setsTerms() public view {
        assertEq(registry.owner(), owner);
        assertEq(address(registry.verifier()), address(verifier));
        assertTrue(registry.ACCEPTS_DEBUG());
        assertEq(registry.KEY_LIFETIME(), KEY_LIFETIME);
        assertEq(registry.measurementActiveAt(MEASUREMENT), block.timestamp);
        assertEq(registry.measurementActiveAt(OTHER), 0);
    }

    function test_constructor_refusals() public {
        bytes32[] memory none;
        vm.expectRevert(EnclaveKeyRegistry.ZeroKeyLifetime.selector);
        new EnclaveKeyRegistry(owner, verifier, true, 0, none);
        vm.expectRevert(abi.encodeWithSelector(EnclaveKeyRegistry.InvalidAddress.selector, anyone));
        new EnclaveKeyRegistry(owner, IAttestationVerifier(anyone), true, 1, none);
        bytes32[] memory twice = new bytes32[](2);
        vm.expectRevert(
            abi.encodeWithSelector(
                EnclaveKeyRegistry.MeasurementAlreadyAllowed.selector, bytes32(0)
            )
        );
        new EnclaveKeyRegistry(owner, verifier, true, 1, twice);
        vm.chainId(8453);
        vm.expectRevert(
            abi.encodeWithSelector(DevelopmentChains.NotADevelopmentChain.selector, 8453)
        );
        new EnclaveKeyRegistry(owner, verifier, true, 1, none);
        assertFalse(new EnclaveKeyRegistry(owner, verifier, false, 1, none).ACCEPTS_DEBUG());
    }

    function test_register_makesAKeyActiveUntilItExpires() public {
        uint64 expiresAt = uint64(block.timestamp + KEY_LIFETIME);
        bytes memory evidence = evidenceFor(key.addr, MEASUREMENT, uint64(block.timestamp));
        assertFalse(registry.isActive(key.addr));
        vm.expectEmit(address(registry));
        emit EnclaveKeyRegistry.KeyRegistered(key.addr, MEASUREMENT, expiresAt);
        register(evidence, block.timestamp);
        assertTrue(registry.isActive(key.addr));
        (bytes32 measurement, uint64 until, bool revoked) = registry.keyOf(key.addr);
        assertEq(measurement, MEASUREMENT);
        assertEq(until, expiresAt);
        assertFalse(revoked);
        vm.warp(expiresAt - 1);
        assertTrue(registry.isActive(key.addr));
        vm.warp(expiresAt);
        assertFalse(registry.isActive(key.addr));
    }

    function test_register_againRenews() public {
        registerKey(registry, verifier, key, MEASUREMENT);
        vm.warp(block.timestamp + KEY_LIFETIME);
        registerKey(registry, verifier, key, MEASUREMENT);
        assertTrue(registry.isActive(key.addr));
    }

    /// @dev Old evidence can be sent again, but lives no longer for it.
    function test_register_lifetimeCountsFromTheEvidence() public {
        uint64 attestedAt = uint64(block.timestamp - 1 days);
        register(evidenceFor(key.addr, MEASUREMENT, attestedAt), block.timestamp + 1);
        (, uint64 expiresAt,) = registry.keyOf(key.addr);
        assertEq(expiresAt, attestedAt + KEY_LIFETIME);
    }

    function test_register_evidenceTime_reverts() public {
        uint256 oldest = block.timestamp - 1 days;
        uint256[2] memory bad = [oldest - 1, block.timestamp + 1];
        for (uint256 i = 0; i < bad.length; ++i) {
            bytes memory evidence = evidenceFor(key.addr, MEASUREMENT, uint64(bad[i]));
            expectRegistration(
                evidence,
                block.timestamp + 1,
                abi.encodeWithSelector(
                    EnclaveKeyRegistry.EvidenceTimeOutOfRange.selector,
                    bad[i],
                    oldest,
                    block.timestamp
                )
            );
        }
    }

    function test_register_deadline_reverts() public {
        bytes memory evidence = fresh();
        uint256 latest = block.timestamp + 1 days;
        register(evidence, latest);
        expectRegistration(
            evidence,
            block.timestamp - 1,
            abi.encodeWithSelector(EnclaveKeyRegistry.ProofExpired.selector, block.timestamp - 1)
        );
        expectRegistration(
            evidence,
            latest + 1,
            abi.encodeWithSelector(EnclaveKeyRegistry.ProofTooLong.selector, latest + 1, latest)
        );
    }

    function test_register_withoutTheKey_reverts() public {
        bytes memory evidence = fresh();
        uint256 deadline = block.timestamp + 1;
        bytes memory proof = sign(enclave, registry.possessionDigest(key.addr, evidence, deadline));
        vm.expectRevert(
            abi.encodeWithSelector(
                EnclaveKeyRegistry.WrongPossessionProof.selector, enclave.addr, key.addr
            )
        );
        registry.register(key.addr, evidence, deadline, proof);
    }

    function test_register_proofIsForThisEvidenceAndDeadline() public {
        bytes memory evidence = fresh();
        uint256 deadline = block.timestamp + 1;
        bytes memory proof = sign(key, registry.possessionDigest(key.addr, evidence, deadline));
        vm.expectPartialRevert(EnclaveKeyRegistry.WrongPossessionProof.selector);
        registry.register(key.addr, evidence, deadline + 1, proof);
        vm.expectPartialRevert(EnclaveKeyRegistry.WrongPossessionProof.selector);
        registry.register(key.addr, bytes.concat(evidence, hex"00"), deadline, proof);
    }

    function test_register_evidenceForAnotherKeyChainOrRegistry_reverts() public {
        bytes32 expected = registry.reportDataFor(key.addr);
        EnclaveKeyRegistry twin = newRegistry(verifier);
        bytes32[3] memory bad;
        bad[0] = registry.reportDataFor(enclave.addr);
        bad[1] = twin.reportDataFor(key.addr);
        vm.chainId(DEST);
        bad[2] = registry.reportDataFor(key.addr);
        vm.chainId(SOURCE);
        for (uint256 i = 0; i < bad.length; ++i) {
            bytes memory evidence =
                evidenceOf(verifier, MEASUREMENT, bad[i], uint64(block.timestamp));
            expectRegistration(
                evidence,
                block.timestamp + 1,
                abi.encodeWithSelector(
                    EnclaveKeyRegistry.WrongReportData.selector, bad[i], expected
                )
            );
        }
    }

    function test_reportData_isDocumented() public view {
        assertEq(
            registry.reportDataFor(key.addr),
            keccak256(abi.encode("EnclaveKey", SOURCE, address(registry), key.addr))
        );
    }

    function test_register_debugEvidence_refusedUnlessAccepted() public {
        bytes32[] memory measurements = new bytes32[](1);
        measurements[0] = MEASUREMENT;
        registry = new EnclaveKeyRegistry(owner, verifier, false, KEY_LIFETIME, measurements);
        expectRegistration(
            fresh(),
            block.timestamp + 1,
            abi.encodeWithSelector(EnclaveKeyRegistry.DebugEvidenceRefused.selector)
        );
    }

    function test_register_unknownMeasurement_reverts() public {
        expectRegistration(
            evidenceFor(key.addr, OTHER, uint64(block.timestamp)),
            block.timestamp + 1,
            abi.encodeWithSelector(EnclaveKeyRegistry.MeasurementNotActive.selector, OTHER, 0)
        );
    }

    function test_allowMeasurement_countsAfterTwoDays() public {
        uint64 activeAt = uint64(block.timestamp + 2 days);
        vm.expectEmit(address(registry));
        emit EnclaveKeyRegistry.MeasurementAllowed(OTHER, activeAt);
        vm.prank(owner);
        registry.allowMeasurement(OTHER);
        assertEq(registry.measurementActiveAt(OTHER), activeAt);
        vm.warp(activeAt - 1);
        expectRegistration(
            evidenceFor(key.addr, OTHER, uint64(block.timestamp)),
            block.timestamp + 1,
            abi.encodeWithSelector(
                EnclaveKeyRegistry.MeasurementNotActive.selector, OTHER, activeAt
            )
        );
        vm.warp(activeAt);
        registerKey(registry, verifier, key, OTHER);
        assertTrue(registry.isActive(key.addr));
    }

    function test_allowMeasurement_twice_reverts() public {
        vm.expectRevert(
            abi.encodeWithSelector(
                EnclaveKeyRegistry.MeasurementAlreadyAllowed.selector, MEASUREMENT
            )
        );
        vm.prank(owner);
        registry.allowMeasurement(MEASUREMENT);
    }

    function test_removeMeasurement_endsItsKeysAtOnceAndForGood() public {
        vm.expectEmit(address(registry));
        emit EnclaveKeyRegistry.MeasurementRemoved(MEASUREMENT);
        vm.prank(owner);
        registry.removeMeasurement(MEASUREMENT);
        assertFalse(registry.isActive(enclave.addr));
        expectRegistration(
            fresh(),
            block.timestamp + 1,
            abi.encodeWithSelector(EnclaveKeyRegistry.MeasurementNotActive.selector, MEASUREMENT, 0)
        );
        vm.prank(owner);
        registry.allowMeasurement(MEASUREMENT);
        vm.warp(block.timestamp + 2 days);
        assertFalse(registry.isActive(enclave.addr), "keys of an earlier allowance stay dead");
        registerKey(registry, verifier, enclave, MEASUREMENT);
        assertTrue(registry.isActive(enclave.addr));
    }

    function test_removeMeasurement_evenBeforeItCounts() public {
        vm.startPrank(owner);
        registry.allowMeasurement(OTHER);
        registry.removeMeasurement(OTHER);
        vm.stopPrank();
        vm.warp(block.timestamp + 2 days);
        assertEq(registry.measurementActiveAt(OTHER), 0);
    }

    function test_removeMeasurement_notAllowed_reverts() public {
        vm.expectRevert(
            abi.encodeWithSelector(EnclaveKeyRegistry.MeasurementNotActive.selector, OTHER, 0)
        );
        vm.prank(owner);
        registry.removeMeasurement(OTHER);
    }

    function test_revoke_byOwnerOrKey_isForGood() public {
        registerKey(registry, verifier, key, MEASUREMENT);
        vm.expectEmit(address(registry));
        emit EnclaveKeyRegistry.KeyRevoked(key.addr);
        vm.prank(key.addr);
        registry.revoke(key.addr);
        assertFalse(registry.isActive(key.addr));
        assertTrue(registry.isActive(enclave.addr));
        vm.prank(owner);
        registry.revoke(enclave.addr);
        assertFalse(registry.isActive(enclave.addr));
        expectRegistration(
            fresh(),
            block.timestamp + 1,
            abi.encodeWithSelector(EnclaveKeyRegistry.KeyIsRevoked.selector, key.addr)
        );
    }

    function test_revoke_byOthers_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(EnclaveKeyRegistry.NotOwnerOrKey.selector, anyone));
        vm.prank(anyone);
        registry.revoke(enclave.addr);
    }

    function test_verifier_followsAfterTwoDays() public {
        DevelopmentAttestationVerifier next = new DevelopmentAttestationVerifier(key.addr);
        uint64 at = uint64(block.timestamp + 2 days);
        vm.expectEmit(address(registry));
        emit EnclaveKeyRegistry.VerifierProposed(address(next), at);
        vm.prank(owner);
        registry.proposeVerifier(next);
        assertEq(address(registry.proposedVerifier()), address(next));
        assertEq(registry.verifierInstallableAt(), at);
        vm.warp(at - 1);
        vm.expectRevert(
            abi.encodeWithSelector(EnclaveKeyRegistry.VerifierNotInstallableYet.selector, at)
        );
        registry.installVerifier();
        vm.warp(at);
        vm.expectEmit(address(registry));
        emit EnclaveKeyRegistry.VerifierInstalled(address(next));
        vm.prank(anyone);
        registry.installVerifier();
        assertEq(address(registry.verifier()), address(next));
        assertEq(address(registry.proposedVerifier()), address(0));
        assertTrue(registry.isActive(enclave.addr), "keys outlive the verifier");
    }

    function test_verifier_proposalCanBeWithdrawn() public {
        vm.startPrank(owner);
        registry.proposeVerifier(verifier);
        registry.proposeVerifier(IAttestationVerifier(address(0)));
        vm.stopPrank();
        vm.warp(block.timestamp + 2 days);
        vm.expectRevert(EnclaveKeyRegistry.NoVerifierProposed.selector);
        registry.installVerifier();
    }

    function test_verifier_withoutCode_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(EnclaveKeyRegistry.InvalidAddress.selector, anyone));
        vm.prank(owner);
        registry.proposeVerifier(IAttestationVerifier(anyone));
    }

    function test_administration_isTheOwnersAlone() public {
        vm.startPrank(anyone);
        bytes memory reason =
            abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, anyone);
        vm.expectRevert(reason);
        registry.allowMeasurement(OTHER);
        vm.expectRevert(reason);
        registry.removeMeasurement(MEASUREMENT);
        vm.expectRevert(reason);
        registry.proposeVerifier(verifier);
        vm.stopPrank();
    }

    function test_isActive_neverForTheZeroAddress() public {
        assertFalse(registry.isActive(address(0)));
        vm.expectRevert(ECDSA.ECDSAInvalidSignature.selector);
        registry.register(address(0), "", block.timestamp, new bytes(65));
    }

    function fresh() private view returns (bytes memory) {
        return evidenceFor(key.addr, MEASUREMENT, uint64(block.timestamp));
    }

    function evidenceFor(address signer, bytes32 program, uint64 attestedAt)
        private
        view
        returns (bytes memory)
    {
        return evidenceOf(verifier, program, registry.reportDataFor(signer), attestedAt);
    }

    function test_register_againByAnybody_cannotUndoALaterRegistration() public {
        vm.prank(owner);
        registry.allowMeasurement(OTHER);
        vm.warp(block.timestamp + 3 days);
        bytes memory evidence = evidenceFor(key.addr, MEASUREMENT, uint64(block.timestamp));
        uint256 deadline = block.timestamp + 1 days;
        bytes32 digest = registry.possessionDigest(key.addr, evidence, deadline);
        bytes memory proof = sign(key, digest);
        registry.register(key.addr, evidence, deadline, proof);

        // An upgraded program has the same key, and what was sent before is public.
        vm.warp(block.timestamp + 1 hours);
        register(evidenceFor(key.addr, OTHER, uint64(block.timestamp)), block.timestamp);
        vm.expectRevert(
            abi.encodeWithSelector(EnclaveKeyRegistry.ProofAlreadyUsed.selector, digest)
        );
        vm.prank(anyone);
        registry.register(key.addr, evidence, deadline, proof);

        vm.prank(owner);
        registry.removeMeasurement(MEASUREMENT);
        assertTrue(registry.isActive(key.addr));
    }

    function register(bytes memory evidence, uint256 deadline) private {
        bytes memory proof = sign(key, registry.possessionDigest(key.addr, evidence, deadline));
        vm.prank(anyone);
        registry.register(key.addr, evidence, deadline, proof);
    }

    function expectRegistration(bytes memory evidence, uint256 deadline, bytes memory reason)
        private
    {
        bytes memory proof = sign(key, registry.possessionDigest(key.addr, evidence, deadline));
        vm.expectRevert(reason);
        registry.register(key.addr, evidence, deadline, proof);
    }
}
