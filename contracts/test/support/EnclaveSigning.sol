// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {EnclaveKeyRegistry} from "../../src/EnclaveKeyRegistry.sol";
import {
    DevelopmentAttestationVerifier
} from "../../src/attestation/DevelopmentAttestationVerifier.sol";
import {Settlement} from "../../src/interfaces/BridgeTypes.sol";
import {Test, Vm} from "forge-std/Test.sol";

/// @notice The keys of a development enclave and what they sign.
abstract contract EnclaveSigning is Test {
    Vm.Wallet internal quoting = vm.createWallet("development quoting key");
    Vm.Wallet internal enclave = vm.createWallet("enclave attestation key");

    function attest(BridgeIntentV2 to, Settlement memory settlement, Vm.Wallet memory by)
        internal
        view
        returns (bytes memory)
    {
        return sign(by, to.settlementDigest(settlement));
    }

    function sign(Vm.Wallet memory by, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(by.privateKey, digest);
        return abi.encodePacked(r, s, v);
    }

    /// @dev Evidence that `program` chose `reportData`, signed by the development quoting key.
    function evidenceOf(
        DevelopmentAttestationVerifier verifier_,
        bytes32 program,
        bytes32 reportData,
        uint64 attestedAt
    ) internal view returns (bytes memory) {
        bytes32 digest = verifier_.quoteDigest(program, reportData, attestedAt);
        return abi.encode(program, reportData, attestedAt, sign(quoting, digest));
    }

    function registerKey(
        EnclaveKeyRegistry registry_,
        DevelopmentAttestationVerifier verifier_,
        Vm.Wallet memory key,
        bytes32 program
    ) internal {
        bytes memory evidence = evidenceOf(
            verifier_, program, registry_.reportDataFor(key.addr), uint64(block.timestamp)
        );
        uint256 deadline = block.timestamp + 600;
        bytes memory proof = sign(key, registry_.possessionDigest(key.addr, evidence, deadline));
        registry_.register(key.addr, evidence, deadline, proof);
    }
}
