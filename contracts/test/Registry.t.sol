// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../src/EnclaveKeyRegistry.sol";
import {DevelopmentChains} from "../src/attestation/DevelopmentChains.sol";
import {IAttestationVerifier} from "../src/interfaces/IAttestationVerifier.sol";
import {EnclaveKey} from "../src/interfaces/IEnclaveKeyRegistry.sol";
import {IRegistryErrors} from "../src/interfaces/IRegistryErrors.sol";
import {IRegistryEvents} from "../src/interfaces/IRegistryEvents.sol";
import {Deployed} from "./support/Deployed.sol";
import {ReenteringVerifier} from "./support/ReenteringVerifier.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice How a key is registered and renewed, and who can revoke it.
contract RegistryTest is RegistryFixture {
    function test_constructor_setsTerms() public view {
        assertEq(registry.owner(), owner);
        assertEq(address(registry.verifier()), address(verifier));
        assertTrue(registry.ACCEPTS_DEBUG());
        assertEq(registry.KEY_LIFETIME(), KEY_LIFETIME);
        assertEq(registry.ACTIVATION_DELAY(), ACTIVATION);
        assertEq(registry.ADDITION_DELAY(), ADDITION);
        assertEq(registry.CHALLENGE_LIFETIME(), 1 days);
        (uint64 countsFrom, uint32 generation) = registry.measurementOf(MEASUREMENT);
        assertEq(countsFrom, block.timestamp);
        assertEq(generation, 1);
        assertEq(registry.operatorOf(operator.addr).listing, block.timestamp);
        assertEq(registry.operatorCount(), 1);
    }

    function test_constructor_refusals() public {
        vm.expectRevert(
            abi.encodeWithSelector(IRegistryErrors.KeyLifetimeTooShort.selector, 60, 60)
        );
        construct(verifier, true, EnclaveKeyRegistry.Terms(60, 60, 1));
        construct(verifier, true, EnclaveKeyRegistry.Terms(61, 60, 1));
        vm.expectRevert(abi.encodeWithSelector(IRegistryErrors.InvalidAddress.selector, anyone));
        construct(IAttestationVerifier(anyone), true, productionTerms());
        vm.chainId(8453);
        vm.expectRevert(
            abi.encodeWithSelector(DevelopmentChains.NotADevelopmentChain.selector, 8453)
        );
        construct(verifier, true, productionTerms());
        assertFalse(construct(verifier, false, productionTerms()).ACCEPTS_DEBUG());
    }

    function test_constructor_listsEverythingOnce() public {
        bytes32[] memory programs = new bytes32[](2);
        address[] memory operators = new address[](0);
        vm.expectRevert(
            abi.encodeWithSelector(IRegistryErrors.MeasurementAlreadyAllowed.selector, bytes32(0))
        );
        EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry",
                abi.encode(owner, verifier, true, productionTerms(), programs, operators)
            )
        );
        programs = new bytes32[](0);
        operators = new address[](2);
        (operators[0], operators[1]) = (anyone, anyone);
        vm.expectRevert(
            abi.encodeWithSelector(IRegistryErrors.OperatorAlreadyListed.selector, anyone)
        );
        EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry",
                abi.encode(owner, verifier, true, productionTerms(), programs, operators)
            )
        );
        operators[1] = address(0);
        vm.expectRevert(abi.encodeWithSelector(IRegistryErrors.InvalidAddress.selector, address(0)));
        EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry",
                abi.encode(owner, verifier, true, productionTerms(), programs, operators)
            )
        );
    }

    function test_register_makesAKeyActiveAfterAnHourUntilItExpires() public {
        Registration memory given = registration();
        uint32 expiry = uint32(block.timestamp + KEY_LIFETIME);
        uint32 activation = uint32(block.timestamp + 1 hours);
        vm.expectEmit(address(registry));
        emit IRegistryEvents.KeyRegistered(
            key.addr, operator.addr, MEASUREMENT, given.eciesKey, activation, expiry
        );
        vm.prank(anyone);
        send(registry, given);
        EnclaveKey memory stored = registry.keyOf(key.addr);
        assertEq(stored.operator, operator.addr);
        assertEq(stored.measurement, MEASUREMENT);
        assertEq(stored.generation, 1);
        assertEq(stored.activation, activation);
        assertEq(stored.expiry, expiry);
        assertEq(stored.revocation, 0);
        assertEq(registry.eciesKeyOf(key.addr), given.eciesKey);
        assertActiveExactlyIn(activation, expiry);
    }

    function test_register_withoutDelay_countsAtOnce() public {
        registry = newRegistry(owner, verifier, EnclaveKeyRegistry.Terms(KEY_LIFETIME, 0, 0));
        register(key);
        assertTrue(registry.isActive(key.addr));
    }

    /// @dev Holding a registration back doesn't extend the key's life.
    function test_register_lifetimeCountsFromTheChallenge() public {
        Registration memory given = registration();
        uint256 issuedAt = block.timestamp;
        given.deadline = issuedAt + 1 days;
        skip(1 days);
        send(registry, given);
        assertEq(registry.keyOf(key.addr).expiry, issuedAt + KEY_LIFETIME);
    }

    function test_register_challengeIsGoodForADay() public {
        Registration memory given = registration();
        uint256 issuedAt = block.timestamp;
        given.deadline = issuedAt + 2 days;
        skip(1 days + 1);
        expectRefusal(
            given,
            abi.encodeWithSelector(
                IRegistryErrors.ChallengeNotGood.selector, given.challenge, issuedAt
            )
        );
    }

    function test_register_unknownChallenge_reverts() public {
        Registration memory given = registration();
        given.challenge = keccak256("made up");
        expectRefusal(
            given,
            abi.encodeWithSelector(IRegistryErrors.ChallengeNotGood.selector, given.challenge, 0)
        );
    }

    function test_newChallenge_isOfTheBlockBeforeAndTheCaller() public {
        vm.prevrandao(keccak256("randao"));
        bytes32 parent = keccak256("parent");
        vm.setBlockhash(block.number - 1, parent);
        bytes32 expected = keccak256(abi.encode(parent, keccak256("randao"), anyone));
        vm.expectEmit(address(registry));
        emit IRegistryEvents.ChallengeIssued(expected, anyone);
        vm.prank(anyone);
        assertEq(registry.newChallenge(), expected);
        assertEq(registry.challengeIssuedAt(expected), block.timestamp);
        assertEq(registry.challengeIssuedAt(keccak256("made up")), 0);
        assertNotEq(registry.newChallenge(), expected);
        vm.setBlockhash(block.number - 1, keccak256("another parent"));
        vm.prank(anyone);
        assertNotEq(registry.newChallenge(), expected);
    }

    function test_register_deadlineIsInclusive() public {
        Registration memory given = registration();
        vm.warp(given.deadline + 1);
        expectRefusal(
            given,
            abi.encodeWithSelector(IRegistryErrors.RegistrationExpired.selector, given.deadline)
        );
        vm.warp(given.deadline);
        send(registry, given);
    }

    function test_register_eciesKey_refusals() public {
        bytes memory good = eciesKeyFor(key);
        bytes memory compressed = bytes.concat(hex"02", bytes32(key.publicKeyX));
        bytes memory marked =
            bytes.concat(hex"06", bytes32(key.publicKeyX), bytes32(key.publicKeyY));
        bytes[4] memory bad = [bytes(""), compressed, marked, bytes.concat(good, hex"00")];
        for (uint256 i = 0; i < bad.length; ++i) {
            Registration memory given = registration();
            given.eciesKey = bad[i];
            expectRefusal(
                given, abi.encodeWithSelector(IRegistryErrors.InvalidEciesKey.selector, bad[i])
            );
        }
    }

    function test_register_withoutTheKey_reverts() public {
        Registration memory given = registration();
        bytes32 digest = digestOf(registry, given);
        expectRefusal(
            given,
            abi.encodeWithSelector(
                IRegistryErrors.WrongPossessionProof.selector, another.addr, key.addr
            ),
            sign(another, digest),
            sign(operator, digest)
        );
    }

    /// @dev A stolen platform key makes genuine evidence; without an operator it opens nothing.
    function test_register_withoutItsOperator_reverts() public {
        Registration memory given = registration();
        bytes32 digest = digestOf(registry, given);
        expectRefusal(
            given,
            abi.encodeWithSelector(
                IRegistryErrors.WrongOperatorSignature.selector, second.addr, operator.addr
            ),
            sign(key, digest),
            sign(second, digest)
        );
        given.by = second;
        expectRefusal(
            given,
            abi.encodeWithSelector(IRegistryErrors.OperatorNotListed.selector, second.addr, 0, 0)
        );
    }

    function test_register_signaturesAreForEverything() public {
        Registration memory given = registration();
        bytes32 digest = digestOf(registry, given);
        (bytes memory proof, bytes memory consent) = (sign(key, digest), sign(operator, digest));
        bytes4 wrong = IRegistryErrors.WrongPossessionProof.selector;
        for (uint256 i = 0; i < 5; ++i) {
            Registration memory changed = given;
            if (i == 0) changed = with(given, given.eciesKey, given.evidence, given.challenge, 1);
            if (i == 1) {
                changed = with(given, eciesKeyFor(another), given.evidence, given.challenge, 0);
            }
            if (i == 2) changed = with(given, given.eciesKey, hex"00", given.challenge, 0);
            if (i == 3) changed = with(given, given.eciesKey, given.evidence, OTHER, 0);
            if (i == 4) {
                changed = with(given, given.eciesKey, given.evidence, given.challenge, 0);
                changed.by = second;
            }
            vm.expectPartialRevert(wrong);
            registry.register(
                key.addr,
                changed.eciesKey,
                changed.by.addr,
                changed.evidence,
                changed.challenge,
                changed.deadline,
                proof,
                consent
            );
        }
    }

    function test_registrationDigest_isDocumented() public {
        Registration memory given = registration();
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("EnclaveKeyRegistry"),
                keccak256("1"),
                block.chainid,
                address(registry)
            )
        );
        bytes32 message = keccak256(
            abi.encode(
                keccak256(
                    "Registration(address signer,bytes eciesKey,address operator,bytes32 evidenceHash,bytes32 challenge,uint256 deadline)"
                ),
                key.addr,
                keccak256(given.eciesKey),
                operator.addr,
                keccak256(given.evidence),
                given.challenge,
                given.deadline
            )
        );
        assertEq(digestOf(registry, given), keccak256(abi.encodePacked(hex"1901", domain, message)));
    }

    function test_register_evidenceForSomethingElse_reverts() public {
        Registration memory given = registration();
        bytes32 expected = registry.reportDataFor(key.addr, given.eciesKey, given.challenge);
        EnclaveKeyRegistry twin = newRegistry(owner, verifier, productionTerms());
        bytes32[5] memory bad;
        bad[0] = registry.reportDataFor(another.addr, given.eciesKey, given.challenge);
        bad[1] = twin.reportDataFor(key.addr, given.eciesKey, given.challenge);
        bad[2] = registry.reportDataFor(key.addr, eciesKeyFor(another), given.challenge);
        bad[3] = registry.reportDataFor(key.addr, given.eciesKey, OTHER);
        vm.chainId(2_651_420);
        bad[4] = registry.reportDataFor(key.addr, given.eciesKey, given.challenge);
        vm.chainId(84_532);
        for (uint256 i = 0; i < bad.length; ++i) {
            given.evidence = evidenceOf(verifier, MEASUREMENT, bad[i]);
            expectRefusal(
                given,
                abi.encodeWithSelector(IRegistryErrors.WrongReportData.selector, bad[i], expected)
            );
        }
    }

    function test_reportData_isDocumented() public view {
        bytes memory ecies = eciesKeyFor(key);
        assertEq(
            registry.reportDataFor(key.addr, ecies, OTHER),
            keccak256(
                abi.encode("EnclaveKey", uint256(84_532), address(registry), key.addr, ecies, OTHER)
            )
        );
    }

    function test_register_debugEvidence_refusedUnlessAccepted() public {
        registry = construct(verifier, false, productionTerms());
        expectRefusal(
            registration(), abi.encodeWithSelector(IRegistryErrors.DebugEvidenceRefused.selector)
        );
    }

    function test_register_unknownMeasurement_reverts() public {
        expectRefusal(
            registrationOf(registry, verifier, key, operator, OTHER),
            abi.encodeWithSelector(IRegistryErrors.MeasurementNotAllowed.selector, OTHER, 0)
        );
    }

    /// @dev Whatever the verifier does during the check, `register` can't be re-entered.
    function test_register_reentered_reverts() public {
        ReenteringVerifier hostile = new ReenteringVerifier();
        registry = newRegistry(owner, hostile, productionTerms());
        Registration memory given = registration();
        bytes32 digest = digestOf(registry, given);
        bytes memory data = abi.encodeCall(
            registry.register,
            (
                key.addr,
                given.eciesKey,
                operator.addr,
                given.evidence,
                given.challenge,
                given.deadline,
                sign(key, digest),
                sign(operator, digest)
            )
        );
        hostile.arm(
            MEASUREMENT, registry.reportDataFor(key.addr, given.eciesKey, given.challenge), data
        );
        (bool success, bytes memory reason) = address(registry).call(data);
        assertFalse(success);
        assertEq(bytes4(reason), ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        hostile.arm(
            MEASUREMENT, registry.reportDataFor(key.addr, given.eciesKey, given.challenge), ""
        );
        (success,) = address(registry).call(data);
        assertTrue(success);
    }

    function test_receive_onlyFromTheVerifier() public {
        vm.deal(anyone, 1);
        vm.prank(anyone);
        (bool taken, bytes memory reason) = address(registry).call{value: 1}("");
        assertFalse(taken);
        assertEq(reason, abi.encodeWithSelector(IRegistryErrors.InvalidAddress.selector, anyone));
    }

    function test_register_again_onlyMovesTheExpiry() public {
        register(key);
        EnclaveKey memory before = registry.keyOf(key.addr);
        skip(10 minutes);
        register(key);
        skip(10 days);
        register(key);
        EnclaveKey memory afterwards = registry.keyOf(key.addr);
        assertEq(afterwards.expiry, before.expiry + 10 days + 10 minutes);
        afterwards.expiry = before.expiry;
        assertEq(abi.encode(afterwards), abi.encode(before));
    }

    /// @dev Anybody may send a registration again, even an older one after a newer one.
    function test_register_againByAnybody_changesNothing() public {
        Registration memory older = registration();
        older.deadline = block.timestamp + 1 days;
        vm.roll(block.number + 1);
        skip(100);
        Registration memory newer = registration();
        assertNotEq(older.challenge, newer.challenge);
        send(registry, newer);
        EnclaveKey memory stored = registry.keyOf(key.addr);
        skip(100);
        vm.startPrank(anyone);
        send(registry, newer);
        send(registry, older);
        assertEq(abi.encode(registry.keyOf(key.addr)), abi.encode(stored));
    }

    function test_register_again_untilTheLastSecond() public {
        register(key);
        vm.warp(registry.keyOf(key.addr).expiry - 1);
        register(key);
        assertTrue(registry.isActive(key.addr));
    }

    function test_register_expiredKey_reverts() public {
        register(key);
        vm.warp(registry.keyOf(key.addr).expiry);
        expectRefusal(
            registration(), abi.encodeWithSelector(IRegistryErrors.KeyIsOver.selector, key.addr)
        );
    }

    function test_register_keyOfARemovedAllowance_reverts() public {
        activeKey();
        vm.startPrank(owner);
        registry.removeMeasurement(MEASUREMENT);
        registry.allowMeasurement(MEASUREMENT);
        vm.stopPrank();
        skip(ADDITION);
        expectRefusal(
            registration(), abi.encodeWithSelector(IRegistryErrors.KeyIsOver.selector, key.addr)
        );
        assertFalse(registry.isActive(key.addr));
    }

    function test_register_again_differently_reverts() public {
        vm.startPrank(owner);
        registry.listOperator(second.addr);
        registry.allowMeasurement(OTHER);
        vm.stopPrank();
        skip(ADDITION);
        register(key);
        bytes memory reason =
            abi.encodeWithSelector(IRegistryErrors.RenewalDiffers.selector, key.addr);
        expectRefusal(registrationOf(registry, verifier, key, second, MEASUREMENT), reason);
        expectRefusal(registrationOf(registry, verifier, key, operator, OTHER), reason);
        bytes memory ecies = eciesKeyFor(key);
        for (uint256 i = 1; i < 65; i += 32) {
            ecies[i] ^= 0x01;
            Registration memory given = registration();
            given.eciesKey = ecies;
            given.evidence = evidenceOf(
                verifier, MEASUREMENT, registry.reportDataFor(key.addr, ecies, given.challenge)
            );
            expectRefusal(given, reason);
            ecies[i] ^= 0x01;
        }
    }

    function test_revoke_byTheOwner_isForGood() public {
        activeKey();
        vm.expectEmit(address(registry));
        emit IRegistryEvents.KeyRevoked(key.addr, owner);
        vm.prank(owner);
        registry.revoke(key.addr);
        assertFalse(registry.isActive(key.addr));
        assertEq(registry.keyOf(key.addr).revocation, block.timestamp);
        expectRefusal(
            registration(), abi.encodeWithSelector(IRegistryErrors.KeyIsRevoked.selector, key.addr)
        );
    }

    function test_revoke_byItsOperator() public {
        activeKey();
        vm.prank(operator.addr);
        registry.revoke(key.addr);
        assertFalse(registry.isActive(key.addr));
    }

    /// @dev A key that leaked before it was ever registered.
    function test_revoke_unregistered_keepsItOut() public {
        vm.prank(owner);
        registry.revoke(key.addr);
        assertFalse(registry.isActive(key.addr));
        expectRefusal(
            registration(), abi.encodeWithSelector(IRegistryErrors.KeyIsRevoked.selector, key.addr)
        );
        assertEq(registry.keyOf(key.addr).operator, address(0));
    }

    function test_revoke_byOthers_reverts() public {
        activeKey();
        address[3] memory others = [anyone, key.addr, second.addr];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IRegistryErrors.NotOwnerOrOperator.selector, others[i])
            );
            vm.prank(others[i]);
            registry.revoke(key.addr);
        }
    }

    /// @dev A second revocation would move its time past deposits that the first one came before.
    function test_revoke_twice_reverts() public {
        activeKey();
        vm.startPrank(owner);
        registry.revoke(key.addr);
        skip(1);
        vm.expectRevert(abi.encodeWithSelector(IRegistryErrors.AlreadyRevoked.selector, key.addr));
        registry.revoke(key.addr);
    }

    function test_unknownKey_isNothing() public {
        assertFalse(registry.isActive(address(0)));
        assertFalse(registry.isActive(key.addr));
        assertEq(registry.eciesKeyOf(key.addr), "");
        (bool does, address by) = registry.countsFor(key.addr, block.timestamp, 2);
        assertFalse(does);
        assertEq(by, address(0));
        Registration memory given = registration();
        vm.expectRevert(ECDSA.ECDSAInvalidSignature.selector);
        registry.register(
            address(0),
            given.eciesKey,
            operator.addr,
            given.evidence,
            given.challenge,
            given.deadline,
            new bytes(65),
            new bytes(65)
        );
    }

    function assertActiveExactlyIn(uint256 activation, uint256 expiry) private {
        assertFalse(registry.isActive(key.addr));
        vm.warp(activation - 1);
        assertFalse(registry.isActive(key.addr));
        vm.warp(activation);
        assertTrue(registry.isActive(key.addr));
        vm.warp(expiry - 1);
        assertTrue(registry.isActive(key.addr));
        vm.warp(expiry);
        assertFalse(registry.isActive(key.addr));
    }

    function construct(
        IAttestationVerifier by,
        bool acceptsDebug,
        EnclaveKeyRegistry.Terms memory terms
    ) private returns (EnclaveKeyRegistry) {
        bytes32[] memory programs = new bytes32[](1);
        programs[0] = MEASUREMENT;
        address[] memory operators = new address[](1);
        operators[0] = operator.addr;
        return EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry",
                abi.encode(owner, by, acceptsDebug, terms, programs, operators)
            )
        );
    }

    function with(
        Registration memory given,
        bytes memory ecies,
        bytes memory evidence,
        bytes32 challenge,
        uint256 later
    ) private pure returns (Registration memory) {
        return Registration(given.key, ecies, given.by, evidence, challenge, given.deadline + later);
    }
}
