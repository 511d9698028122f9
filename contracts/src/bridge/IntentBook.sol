// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Phase, Windows} from "../interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {BridgeAdministration} from "./BridgeAdministration.sol";
import {IntentId} from "./IntentId.sol";

/// @title The intents of this source chain: their windows, and how to find and read them
abstract contract IntentBook is BridgeAdministration, IBridgeIntentV2 {
    /// @dev Fee tier of intents with plain recipients, in hundredths of a percent of `amountA`.
    uint16 internal constant UNSHIELDED_FEE_BPS = 250;
    /// @dev Fee tier of intents with shielded recipients.
    uint16 internal constant SHIELDED_FEE_BPS = 700;
    /// @dev Stake that backs a bid or deposit, in hundredths of a percent of the escrow.
    uint256 internal constant BOND_BPS = 500;

    uint256 internal constant BPS = 10_000;
    uint8 internal constant UNSHIELDED = 1;
    uint8 internal constant SHIELDED = 2;

    /// @notice Shortest auction, in seconds.
    uint32 public immutable MIN_AUCTION_DURATION;
    /// @notice Most seconds before `endTime` at which recipients become final.
    uint32 public immutable FIRM_SECONDS;
    /// @notice Seconds of each of the two pickup windows.
    uint32 public immutable PICKUP_WINDOW;
    /// @notice Seconds from deposit to `fillDeadline`.
    uint32 public immutable EXECUTION_WINDOW;
    /// @notice Seconds from `fillDeadline` until anyone may refund.
    uint32 public immutable SETTLEMENT_GRACE;

    constructor(Windows memory windows) {
        MIN_AUCTION_DURATION = _notZero(windows.minAuctionDuration);
        FIRM_SECONDS = _notZero(windows.firmSeconds);
        PICKUP_WINDOW = _notZero(windows.pickupWindow);
        EXECUTION_WINDOW = _notZero(windows.executionWindow);
        SETTLEMENT_GRACE = _notZero(windows.settlementGrace);
    }

    /// @inheritdoc IBridgeIntentV2
    function getIntent(uint256 intentId) external view returns (Intent memory shown) {
        Record storage intent = _records[intentId];
        if (intent.phase == Phase.None) return shown;
        _showTerms(shown, intent);
        shown.phase = intent.phase;
        shown.feeBps = _feeBpsOf(intent.feeTier);
        if (intent.feeTier != 0) shown.recipientClass = uint16(1) << intent.classLog2;
        shown.quorum = intent.quorum;
        shown.blobAtCreation = intent.flags & BLOB_AT_CREATION != 0;
        shown.named = intent.flags & NAMED != 0;
        shown.asked = intent.flags & ASKED != 0;
        shown.revealed = intent.flags & REVEALED != 0;
        shown.solver = intent.solver;
        shown.amountB = intent.amountB;
        bool running = intent.phase == Phase.Open || intent.phase == Phase.Deposited;
        if (running && intent.solver != address(0)) shown.bond = _bondOf(intent.escrow);
        shown.fillDeadline = intent.fillDeadline;
        shown.blobsHash = intent.blobsHash;
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
        intent = _records[intentId];
        Phase phase = intent.phase;
        if (phase == expected) return intent;
        if (phase == Phase.None) revert UnknownIntent(intentId);
        revert WrongPhase(intentId, phase, expected);
    }

    function _paramsHashOf(Record storage intent) internal view returns (bytes32) {
        return keccak256(
            abi.encode(
                block.chainid,
                address(this),
                intent.sender,
                _tokenAt(intent.tokenIndex),
                intent.tokenB,
                _amountAOf(intent),
                intent.expectedAmountB,
                intent.reward,
                _destinationAt(intent.destinationIndex),
                intent.auctionDuration
            )
        );
    }

    function _amountAOf(Record storage intent) private view returns (uint256) {
        unchecked {
            // The reward is part of the escrow.
            return uint256(intent.escrow) - intent.reward;
        }
    }

    /// @dev Reverts unless the caller names the intent's own terms and the blobs that are on
    ///      chain.
    function _checkTerms(Record storage intent, bytes32 paramsHash, bytes32 blobsHash)
        internal
        view
    {
        bytes32 expected = _paramsHashOf(intent);
        if (paramsHash != expected) revert WrongParams(paramsHash, expected);
        expected = intent.blobsHash;
        if (blobsHash != expected) revert WrongBlobs(blobsHash, expected);
    }

    /// @dev When recipients become final: for the last third of the auction, FIRM_SECONDS at most.
    function _firmAt(Record storage intent) internal view returns (uint256) {
        (uint256 endTime, uint256 firm) = (intent.endTime, intent.auctionDuration / 3);
        if (firm > FIRM_SECONDS) firm = FIRM_SECONDS;
        unchecked {
            // `endTime` is at least the duration.
            return endTime - firm;
        }
    }

    /// @dev Reverts from `firmAt` on.
    function _requireNotFirm(Record storage intent) internal view {
        uint256 firmAt = _firmAt(intent);
        if (block.timestamp >= firmAt) revert Firm(firmAt);
    }

    function _requireSender(Record storage intent) internal view {
        if (msg.sender != intent.sender) revert NotSender(msg.sender, intent.sender);
    }

    /// @dev 5 % of the escrow, rounded down.
    function _bondOf(uint256 escrow) internal pure returns (uint256) {
        unchecked {
            // An escrow has 96 bits.
            return escrow * BOND_BPS / BPS;
        }
    }

    function _feeBpsOf(uint8 feeTier) internal pure returns (uint16) {
        if (feeTier == UNSHIELDED) return UNSHIELDED_FEE_BPS;
        return feeTier == SHIELDED ? SHIELDED_FEE_BPS : 0;
    }

    function _showTerms(Intent memory shown, Record storage intent) private view {
        shown.sender = intent.sender;
        shown.tokenA = _tokenAt(intent.tokenIndex);
        shown.tokenB = intent.tokenB;
        shown.amountA = _amountAOf(intent);
        shown.expectedAmountB = intent.expectedAmountB;
        shown.reward = intent.reward;
        shown.destChainId = _destinationAt(intent.destinationIndex);
        shown.auctionDuration = intent.auctionDuration;
        shown.endTime = intent.endTime;
        shown.firmAt = _firmAt(intent);
        shown.paramsHash = _paramsHashOf(intent);
    }

    function _notZero(uint32 window) private pure returns (uint32) {
        if (window == 0) revert ZeroWindow();
        return window;
    }
}
