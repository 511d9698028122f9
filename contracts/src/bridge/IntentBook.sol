// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Phase} from "../interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {BridgeAdministration} from "./BridgeAdministration.sol";
import {IntentId} from "./IntentId.sol";

/// @title The intents of this source chain: how they are stored, found and read
abstract contract IntentBook is IBridgeIntentV2, BridgeAdministration {
    /// @dev Three slots at creation, one more at the first bid, one more at the deposit. Amounts
    ///      have 96 bits: 79 billion whole tokens of 18 decimals.
    struct Record {
        address sender;
        uint96 amountA;
        // slot
        address tokenB;
        uint96 expectedAmountB;
        // slot
        uint96 reward;
        uint64 destChainId;
        uint40 endTime;
        uint16 tokenIndex;
        uint16 feeBps;
        Phase phase;
        bool blobAtCreation;
        // slot, from the first bid
        address solver;
        uint96 amountB;
        // slot, from the deposit
        uint96 bond;
        uint40 fillDeadline;
    }

    /// @notice Seconds of each of the two pickup windows.
    uint32 public immutable PICKUP_WINDOW;
    /// @notice Seconds from deposit to `fillDeadline`.
    uint32 public immutable EXECUTION_WINDOW;
    /// @notice Seconds from `fillDeadline` to the refund.
    uint32 public immutable SETTLEMENT_GRACE;

    uint64 private _sequence;
    mapping(uint256 intentId => Record) private _records;

    constructor(uint32 pickupWindow, uint32 executionWindow, uint32 settlementGrace) {
        if (pickupWindow == 0 || executionWindow == 0 || settlementGrace == 0) revert ZeroWindow();
        PICKUP_WINDOW = pickupWindow;
        EXECUTION_WINDOW = executionWindow;
        SETTLEMENT_GRACE = settlementGrace;
    }

    /// @inheritdoc IBridgeIntentV2
    function getIntent(uint256 intentId) external view returns (Intent memory) {
        Record storage intent = _records[intentId];
        bool exists = intent.phase != Phase.None;
        return Intent({
            sender: intent.sender,
            tokenA: exists ? _tokenAt(intent.tokenIndex) : address(0),
            tokenB: intent.tokenB,
            amountA: intent.amountA,
            expectedAmountB: intent.expectedAmountB,
            reward: intent.reward,
            destChainId: intent.destChainId,
            endTime: intent.endTime,
            phase: intent.phase,
            feeBps: intent.feeBps,
            blobAtCreation: intent.blobAtCreation,
            solver: intent.solver,
            amountB: intent.amountB,
            bond: intent.bond,
            fillDeadline: intent.fillDeadline
        });
    }

    /// @inheritdoc IBridgeIntentV2
    function getLatestIntentId() external view returns (uint256) {
        return _sequence == 0 ? 0 : IntentId.pack(block.chainid, _sequence);
    }

    /// @inheritdoc IBridgeIntentV2
    function winnerOf(uint256 intentId) external view returns (address) {
        Record storage intent = _records[intentId];
        return intent.fillDeadline == 0 ? address(0) : intent.solver;
    }

    /// @dev Id and empty record of the next intent.
    function _newIntent() internal returns (uint256 intentId, Record storage intent) {
        intentId = IntentId.pack(block.chainid, ++_sequence);
        intent = _records[intentId];
    }

    /// @dev The intent, in whatever phase.
    function _existing(uint256 intentId) internal view returns (Record storage intent) {
        intent = _records[intentId];
        if (intent.phase == Phase.None) revert UnknownIntent(intentId);
    }

    /// @dev The intent, which must be in `expected`.
    function _inPhase(uint256 intentId, Phase expected)
        internal
        view
        returns (Record storage intent)
    {
        intent = _existing(intentId);
        if (intent.phase != expected) revert WrongPhase(intentId, intent.phase, expected);
    }

    /// @dev What the sender put into escrow, in base units of `tokenA`.
    function _escrowOf(Record storage intent) internal view returns (uint256) {
        return uint256(intent.amountA) + intent.reward;
    }
}
