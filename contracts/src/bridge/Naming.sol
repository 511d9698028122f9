// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase} from "../interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {Blobs} from "./Blobs.sol";
import {EnclaveSignatures} from "./EnclaveSignatures.sol";

/// @title Naming the recipients: the anchor, further blobs, the sender's own naming
/// @notice Recipients are final from `firmAt` on. Nothing here looks into a blob.
abstract contract Naming is Blobs, EnclaveSignatures {
    uint16 private constant MAX_RECIPIENT_CLASS = 256;

    /// @inheritdoc IBridgeIntentV2
    function anchorIntent(
        uint256 intentId,
        bytes32 paramsHash,
        bytes32 blobsHashBefore,
        uint16 feeBps,
        uint16 recipientClass,
        bytes calldata encryptedBlob,
        bytes calldata signature
    ) external {
        Record storage intent = _nameable(intentId);
        _checkTerms(intent, paramsHash, blobsHashBefore);
        if (intent.feeTier != 0) revert AlreadyAnchored(intentId, _feeBpsOf(intent.feeTier));
        if (intent.flags & BLOB_AT_CREATION == 0) _requireBlob(intentId, encryptedBlob);
        bytes32 blobHash = _hashOf(encryptedBlob);
        bytes memory signed = abi.encode(
            ANCHOR_TYPEHASH, intentId, paramsHash, blobsHashBefore, feeBps, recipientClass, blobHash
        );
        _checkSigner(_digest(signed), signature);
        intent.feeTier = _feeTierOf(feeBps);
        intent.classLog2 = _classLog2Of(recipientClass);
        _commitTo(intent, KIND_ANCHOR, blobHash);
        emit IntentAnchored(intentId, feeBps, recipientClass, encryptedBlob);
    }

    /// @inheritdoc IBridgeIntentV2
    function appendBlob(
        uint256 intentId,
        bytes32 paramsHash,
        bytes32 blobsHashBefore,
        bytes calldata encryptedBlob,
        bytes calldata signature
    ) external {
        Record storage intent = _existing(intentId);
        _checkTerms(intent, paramsHash, blobsHashBefore);
        bytes32 blobHash = _hashOf(encryptedBlob);
        bytes memory signed =
            abi.encode(APPEND_TYPEHASH, intentId, paramsHash, blobsHashBefore, blobHash);
        _checkSigner(_digest(signed), signature);
        _requireBlob(intentId, encryptedBlob);
        if (block.timestamp < _firmAt(intent)) _commitTo(intent, KIND_APPEND, blobHash);
        emit BlobAppended(intentId, KIND_APPEND, encryptedBlob);
    }

    /// @inheritdoc IBridgeIntentV2
    function nameRecipients(uint256 intentId, bytes calldata encryptedBlob) external {
        Record storage intent = _nameable(intentId);
        _requireSender(intent);
        if (intent.flags & NAMED != 0) revert AlreadyNamed(intentId);
        intent.flags |= NAMED;
        _requireBlob(intentId, encryptedBlob);
        _commitTo(intent, KIND_NAMED, _hashOf(encryptedBlob));
        emit BlobAppended(intentId, KIND_NAMED, encryptedBlob);
    }

    /// @dev The open intent, whose recipients must not be final yet.
    function _nameable(uint256 intentId) private view returns (Record storage intent) {
        intent = _inPhase(intentId, Phase.Open);
        _requireNotFirm(intent);
    }

    function _requireBlob(uint256 intentId, bytes calldata blob) private pure {
        if (blob.length == 0) revert BlobRequired(intentId);
    }

    function _feeTierOf(uint16 feeBps) private pure returns (uint8) {
        if (feeBps == UNSHIELDED_FEE_BPS) return UNSHIELDED;
        if (feeBps == SHIELDED_FEE_BPS) return SHIELDED;
        revert FeeTierUnknown(feeBps, UNSHIELDED_FEE_BPS, SHIELDED_FEE_BPS);
    }

    // Shifts 1 by log2 bits, which the linter takes for swapped operands.
    // forge-lint: disable-start(incorrect-shift)
    function _classLog2Of(uint16 recipientClass) private pure returns (uint8 log2) {
        while (log2 < 8 && recipientClass != 1 << log2) ++log2;
        if (recipientClass != 1 << log2) {
            revert RecipientClassUnknown(recipientClass, MAX_RECIPIENT_CLASS);
        }
    }
    // forge-lint: disable-end(incorrect-shift)
}
