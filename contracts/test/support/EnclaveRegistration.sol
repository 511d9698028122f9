// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../../src/EnclaveKeyRegistry.sol";
import {
    DevelopmentAttestationVerifier
} from "../../src/attestation/DevelopmentAttestationVerifier.sol";
import {IAttestationVerifier} from "../../src/interfaces/IAttestationVerifier.sol";
import {Deployed} from "./Deployed.sol";
import {Test, Vm} from "forge-std/Test.sol";

/// @notice A registry with one operator, and how a development enclave's key gets into it.
abstract contract EnclaveRegistration is Test {
    /// @notice Everything that `register` takes.
    struct Registration {
        Vm.Wallet key;
        bytes eciesKey;
        Vm.Wallet by;
        bytes evidence;
        bytes32 challenge;
        uint256 deadline;
    }

    uint32 internal constant KEY_LIFETIME = 30 days;
    uint32 internal constant ACTIVATION = 1 hours;
    uint32 internal constant ADDITION = 4 days;
    bytes32 internal constant MEASUREMENT = keccak256("program");

    Vm.Wallet internal quoting = vm.createWallet("development quoting key");
    Vm.Wallet internal operator = vm.createWallet("operator");

    /// @dev A development registry with MEASUREMENT, `operator` and the given delays.
    function newRegistry(
        address owner_,
        IAttestationVerifier by,
        EnclaveKeyRegistry.Terms memory terms
    ) internal returns (EnclaveKeyRegistry) {
        bytes32[] memory measurements = new bytes32[](1);
        measurements[0] = MEASUREMENT;
        address[] memory operators = new address[](1);
        operators[0] = operator.addr;
        return EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry", abi.encode(owner_, by, true, terms, measurements, operators)
            )
        );
    }

    function productionTerms() internal pure returns (EnclaveKeyRegistry.Terms memory) {
        return EnclaveKeyRegistry.Terms(KEY_LIFETIME, ACTIVATION, ADDITION);
    }

    /// @dev Registers `key` under `by` with a fresh challenge; its activation follows by the
    ///      registry's delay.
    function registerKey(
        EnclaveKeyRegistry registry_,
        DevelopmentAttestationVerifier verifier_,
        Vm.Wallet memory key,
        Vm.Wallet memory by,
        bytes32 program
    ) internal {
        send(registry_, registrationOf(registry_, verifier_, key, by, program));
    }

    function registrationOf(
        EnclaveKeyRegistry registry_,
        DevelopmentAttestationVerifier verifier_,
        Vm.Wallet memory key,
        Vm.Wallet memory by,
        bytes32 program
    ) internal returns (Registration memory registration) {
        registration.key = key;
        registration.by = by;
        registration.eciesKey = eciesKeyFor(key);
        registration.challenge = registry_.newChallenge();
        registration.deadline = block.timestamp + 600;
        registration.evidence = evidenceOf(
            verifier_,
            program,
            registry_.reportDataFor(key.addr, registration.eciesKey, registration.challenge)
        );
    }

    function send(EnclaveKeyRegistry registry_, Registration memory given) internal {
        bytes32 digest = digestOf(registry_, given);
        registry_.register(
            given.key.addr,
            given.eciesKey,
            given.by.addr,
            given.evidence,
            given.challenge,
            given.deadline,
            sign(given.key, digest),
            sign(given.by, digest)
        );
    }

    function digestOf(EnclaveKeyRegistry registry_, Registration memory given)
        internal
        view
        returns (bytes32)
    {
        return registry_.registrationDigest(
            given.key.addr,
            given.eciesKey,
            given.by.addr,
            keccak256(given.evidence),
            given.challenge,
            given.deadline
        );
    }

    /// @dev Any point will do here: the key's own.
    function eciesKeyFor(Vm.Wallet memory key) internal pure returns (bytes memory) {
        return abi.encodePacked(bytes1(0x04), key.publicKeyX, key.publicKeyY);
    }

    /// @dev Evidence that `program` chose `reportData`, signed by the development quoting key.
    function evidenceOf(
        DevelopmentAttestationVerifier verifier_,
        bytes32 program,
        bytes32 reportData
    ) internal view returns (bytes memory) {
        bytes32 digest = verifier_.quoteDigest(program, reportData);
        return abi.encode(program, reportData, sign(quoting, digest));
    }

    function sign(Vm.Wallet memory by, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(by.privateKey, digest);
        return abi.encodePacked(r, s, v);
    }
}
