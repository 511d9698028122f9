// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IntentBook} from "./IntentBook.sol";

/// @title The commitment to an intent's recovery blobs
abstract contract Blobs is IntentBook {
    /// @dev In bytes.
    uint256 internal constant MAX_BLOB_LENGTH = 16_384;

    uint8 internal constant KIND_CREATION = 1;
    uint8 internal constant KIND_ANCHOR = 2;
    uint8 internal constant KIND_APPEND = 3;
    uint8 internal constant KIND_NAMED = 4;

    /// @dev Adds a blob to the intent's chain of hashes.
    function _commitTo(Record storage intent, uint8 kind, bytes32 blobHash) internal {
        intent.blobsHash = keccak256(abi.encode(intent.blobsHash, kind, blobHash));
    }

    /// @dev keccak256 of a blob that isn't too long.
    function _hashOf(bytes calldata blob) internal pure returns (bytes32) {
        if (blob.length > MAX_BLOB_LENGTH) revert BlobTooLong(blob.length, MAX_BLOB_LENGTH);
        return keccak256(blob);
    }
}
