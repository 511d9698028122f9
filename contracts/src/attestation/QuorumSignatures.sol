// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import {IEnclaveKeyRegistry} from "../interfaces/IEnclaveKeyRegistry.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title Signatures of a quorum of enclave keys
library QuorumSignatures {
    /// @notice Exactly `quorum` signatures are needed.
    error SignatureCountWrong(uint256 given, uint256 quorum);
    /// @notice Signatures must be sorted by their signers' addresses, each of them once.
    error SignersNotSorted(address signer, address previous);
    /// @notice The signer's key doesn't count here, see `IEnclaveKeyRegistry.countsFor`.
    error KeyDoesNotCount(address signer);
    /// @notice Two of the keys belong to this operator.
    error SameOperator(address operator);

    /// @notice Revert unless `quorum` keys of different operators signed `digest` and count.
    /// @param registry Who knows the keys.
    /// @param digest What was signed.
    /// @param signatures 65 bytes each, sorted by signer.
    /// @param quorum How many are needed, at least 1.
    /// @param depositTime Since when keys count, see `IEnclaveKeyRegistry.countsFor`; the block's
    ///        time if only those do that are active now.
    /// @return first The first signer.
    function requireQuorum(
        IEnclaveKeyRegistry registry,
        bytes32 digest,
        bytes[] calldata signatures,
        uint256 quorum,
        uint256 depositTime
    ) internal view returns (address first) {
        if (signatures.length != quorum) revert SignatureCountWrong(signatures.length, quorum);
        address[] memory operators = new address[](quorum);
        address previous = address(0);
        for (uint256 i = 0; i < quorum; ++i) {
            address signer = ECDSA.recover(digest, signatures[i]);
            if (signer <= previous) revert SignersNotSorted(signer, previous);
            (bool counts, address operator) = registry.countsFor(signer, depositTime, quorum);
            if (!counts) revert KeyDoesNotCount(signer);
            _requireNew(operators, i, operator);
            operators[i] = operator;
            if (i == 0) first = signer;
            previous = signer;
        }
    }

    /// @dev At most eight: comparing each with each is cheaper than anything clever.
    function _requireNew(address[] memory operators, uint256 count, address operator) private pure {
        for (uint256 i = 0; i < count; ++i) {
            if (operators[i] == operator) revert SameOperator(operator);
        }
    }
}
