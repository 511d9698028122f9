// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase} from "../interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {EnclaveSignatures} from "./EnclaveSignatures.sol";

/// @title Help for a winner that didn't get its recipients
/// @notice It asks for them on chain. Unless they then appear on chain too, sealed to it and early
///         enough to deliver, failing to deliver costs it nothing.
abstract contract Telling is EnclaveSignatures {
    /// @inheritdoc IBridgeIntentV2
    function askRecipients(uint256 intentId) external {
        Record storage intent = _inPhase(intentId, Phase.Deposited);
        if (msg.sender != intent.solver) revert NotWinner(msg.sender, intent.solver);
        _requireQuarters(intent, 1, 2);
        if (intent.flags & ASKED != 0) revert AlreadyAsked(intentId);
        if (intent.flags & REVEALED != 0) revert AlreadyRevealed(intentId);
        intent.flags |= ASKED;
        emit RecipientsAsked(intentId, msg.sender);
    }

    /// @inheritdoc IBridgeIntentV2
    function revealRecipients(
        uint256 intentId,
        bytes calldata sealedRecipients,
        bytes[] calldata signatures
    ) external {
        Record storage intent = _inPhase(intentId, Phase.Deposited);
        _requireQuarters(intent, 0, 3);
        if (intent.flags & REVEALED != 0) revert AlreadyRevealed(intentId);
        bytes memory signed = abi.encode(
            REVEAL_TYPEHASH,
            intentId,
            _paramsHashOf(intent),
            intent.blobsHash,
            intent.solver,
            intent.amountB,
            keccak256(sealedRecipients)
        );
        _checkQuorum(intent, _digest(signed), signatures);
        intent.flags |= REVEALED;
        emit RecipientsRevealed(intentId, sealedRecipients);
    }

    /// @dev Reverts outside these quarters of the execution window; `last` is exclusive.
    function _requireQuarters(Record storage intent, uint256 first, uint256 last) private view {
        uint256 window = EXECUTION_WINDOW;
        uint256 start = intent.fillDeadline - window;
        (uint256 from, uint256 until) = (start + window * first / 4, start + window * last / 4);
        if (block.timestamp < from || block.timestamp >= until) revert OutsideWindow(from, until);
    }
}
