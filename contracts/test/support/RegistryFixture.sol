// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../../src/EnclaveKeyRegistry.sol";
import {
    DevelopmentAttestationVerifier
} from "../../src/attestation/DevelopmentAttestationVerifier.sol";
import {Deployed} from "./Deployed.sol";
import {EnclaveRegistration} from "./EnclaveRegistration.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice A registry with production's delays, one operator and one measurement.
abstract contract RegistryFixture is EnclaveRegistration {
    bytes32 internal constant OTHER = keccak256("other program");

    address internal owner = makeAddr("owner");
    address internal anyone = makeAddr("anyone");
    Vm.Wallet internal key = vm.createWallet("enclave attestation key");
    Vm.Wallet internal another = vm.createWallet("another enclave key");
    Vm.Wallet internal second = vm.createWallet("second operator");

    DevelopmentAttestationVerifier internal verifier;
    EnclaveKeyRegistry internal registry;

    function setUp() public virtual {
        vm.chainId(84_532);
        vm.warp(1_800_000_000);
        vm.roll(1_000_000);
        verifier = DevelopmentAttestationVerifier(
            Deployed.create("DevelopmentAttestationVerifier", abi.encode(quoting.addr))
        );
        registry = newRegistry(owner, verifier, productionTerms());
    }

    /// @dev Registers `key` and waits until it counts.
    function activeKey() internal {
        register(key);
        skip(ACTIVATION);
    }

    function register(Vm.Wallet memory given) internal {
        registerKey(registry, verifier, given, operator, MEASUREMENT);
    }

    function registration() internal returns (Registration memory) {
        return registrationOf(registry, verifier, key, operator, MEASUREMENT);
    }

    function expectRefusal(Registration memory given, bytes memory reason) internal {
        bytes32 digest = digestOf(registry, given);
        expectRefusal(given, reason, sign(given.key, digest), sign(given.by, digest));
    }

    function expectRefusal(
        Registration memory given,
        bytes memory reason,
        bytes memory proof,
        bytes memory consent
    ) internal {
        vm.expectRevert(reason);
        registry.register(
            given.key.addr,
            given.eciesKey,
            given.by.addr,
            given.evidence,
            given.challenge,
            given.deadline,
            proof,
            consent
        );
    }

    function counts(uint256 depositTime, uint256 quorum) internal view returns (bool does) {
        (does,) = registry.countsFor(key.addr, depositTime, quorum);
    }
}
