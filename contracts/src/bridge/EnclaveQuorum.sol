// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeErrors} from "../interfaces/IBridgeErrors.sol";
import {IEnclaveKeyRegistry} from "../interfaces/IEnclaveKeyRegistry.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title Signatures of enclaves that different operators run
library EnclaveQuorum {
    /// @notice Reverts unless `quorum` keys of different operators signed `digest`, all of which
    ///         count for an intent that was picked up at `depositTime`.
    /// @param registry The registry of enclave keys.
    /// @param digest What they signed.
    /// @param signatures 65 bytes each, in rising order of their signers, exactly `quorum` of them.
    /// @param quorum 1 to 8.
    /// @param depositTime Unix seconds, not in the future.
    /// @return first The first signer.
    function check(
        IEnclaveKeyRegistry registry,
        bytes32 digest,
        bytes[] calldata signatures,
        uint256 quorum,
        uint256 depositTime
    ) internal view returns (address first) {
        if (signatures.length != quorum) {
            revert IBridgeErrors.WrongSignatureCount(signatures.length, quorum);
        }
        address[] memory operators = new address[](quorum);
        address before;
        for (uint256 i = 0; i < quorum; ++i) {
            (address signer,,) = ECDSA.tryRecoverCalldata(digest, signatures[i]);
            if (signer <= before) revert IBridgeErrors.SignersNotSorted(before, signer);
            (bool counts, address operator) = registry.countsFor(signer, depositTime, quorum);
            if (!counts) revert IBridgeErrors.AttesterNotActive(signer);
            for (uint256 j = 0; j < i; ++j) {
                if (operators[j] == operator) revert IBridgeErrors.SameOperator(operator);
            }
            operators[i] = operator;
            before = signer;
            if (i == 0) first = signer;
        }
    }
}
