// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase} from "../interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {CalldataBlob} from "./CalldataBlob.sol";
import {IntentBook} from "./IntentBook.sol";
import {Payouts} from "./Payouts.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title The way in: creation, anchor, bids, the winner's bond
abstract contract Auction is IntentBook, Payouts, ReentrancyGuardTransient {
    /// @notice Fee tier of intents with plain recipients, in hundredths of a percent of `amountA`.
    uint16 public constant UNSHIELDED_FEE_BPS = 250;
    /// @notice Fee tier of intents with shielded recipients.
    uint16 public constant SHIELDED_FEE_BPS = 700;
    /// @notice The winner's bond, in hundredths of a percent of `amountA`.
    uint256 public constant BOND_BPS = 500;
    /// @notice Shortest auction, in seconds.
    uint256 public constant MIN_AUCTION_DURATION = 20 seconds;
    /// @notice Longest auction, in seconds.
    uint256 public constant MAX_AUCTION_DURATION = 24 hours;

    uint256 internal constant BPS = 10_000;
    uint256 private constant MAX_AMOUNT = type(uint96).max;

    /// @inheritdoc IBridgeIntentV2
    function createIntent(
        address _tokenA,
        address _tokenB,
        uint256 _amountA,
        uint256 _expectedAmountB,
        uint256 _reward,
        uint256 _destChainId,
        uint256 _auctionDuration
    ) external nonReentrant returns (uint256 intentId) {
        _checkTerms(_tokenB, _expectedAmountB, _reward, _destChainId, _auctionDuration);
        Record storage intent;
        (intentId, intent) = _newIntent();
        // Casts below can't truncate: _checkTerms and _indexForOffer bound every value (before any
        // of this is kept), and block times have 40 bits for 34,000 years.
        // forge-lint: disable-start(unsafe-typecast)
        intent.sender = msg.sender;
        intent.amountA = uint96(_amountA);
        intent.tokenB = _tokenB;
        intent.expectedAmountB = uint96(_expectedAmountB);
        intent.reward = uint96(_reward);
        intent.destChainId = uint64(_destChainId);
        intent.endTime = uint40(block.timestamp + _auctionDuration);
        intent.tokenIndex = _indexForOffer(_tokenA, _amountA);
        intent.phase = Phase.Open;
        intent.blobAtCreation = CalldataBlob.read().length != 0;
        // forge-lint: disable-end(unsafe-typecast)

        _emitCreated(intentId, _tokenA, intent);
        _pull(_tokenA, _amountA + _reward);
    }

    /// @inheritdoc IBridgeIntentV2
    function anchorIntent(uint256 intentId, uint16 feeBps, bytes calldata encryptedBlob)
        external
        nonReentrant
    {
        _onlyRelayer();
        Record storage intent = _inPhase(intentId, Phase.Open);
        if (feeBps != UNSHIELDED_FEE_BPS && feeBps != SHIELDED_FEE_BPS) {
            revert FeeTierUnknown(feeBps, UNSHIELDED_FEE_BPS, SHIELDED_FEE_BPS);
        }
        if (intent.feeBps != 0) revert AlreadyAnchored(intentId, intent.feeBps);
        if (block.timestamp >= intent.endTime) revert AuctionOver(intent.endTime);
        if (encryptedBlob.length == 0 && !intent.blobAtCreation) revert BlobRequired(intentId);
        intent.feeBps = feeBps;
        emit IntentAnchored(intentId, feeBps, encryptedBlob);
    }

    /// @inheritdoc IBridgeIntentV2
    function appendBlob(uint256 intentId, bytes calldata encryptedBlob) external nonReentrant {
        _onlyRelayer();
        _existing(intentId);
        if (encryptedBlob.length == 0) revert BlobRequired(intentId);
        emit BlobAppended(intentId, encryptedBlob);
    }

    /// @inheritdoc IBridgeIntentV2
    function placeBid(uint256 intentId, uint256 amountB) external nonReentrant {
        Record storage intent = _inPhase(intentId, Phase.Open);
        if (block.timestamp >= intent.endTime) revert AuctionOver(intent.endTime);
        if (intent.feeBps == 0) revert NotAnchored(intentId);
        uint256 minimum =
            intent.solver == address(0) ? intent.expectedAmountB : uint256(intent.amountB) + 1;
        _recordOffer(intent, amountB, minimum);
        emit BidPlaced(intentId, msg.sender, amountB);
    }

    /// @inheritdoc IBridgeIntentV2
    function depositAndPickup(uint256 intentId, uint256 amountB) external nonReentrant {
        Record storage intent = _inPhase(intentId, Phase.Open);
        _recordOffer(intent, amountB, _pickupMinimum(intentId, intent));

        uint256 bond = uint256(intent.amountA) * BOND_BPS / BPS;
        uint40 fillDeadline = uint40(block.timestamp + EXECUTION_WINDOW);
        intent.phase = Phase.Deposited;
        // A twentieth of 96 bits.
        // forge-lint: disable-next-line(unsafe-typecast)
        intent.bond = uint96(bond);
        intent.fillDeadline = fillDeadline;

        emit SolverDeposited(intentId, msg.sender, amountB, bond, fillDeadline);
        _pull(_tokenAt(intent.tokenIndex), bond);
    }

    function _checkTerms(
        address tokenB,
        uint256 expectedAmountB,
        uint256 reward,
        uint256 destChainId,
        uint256 duration
    ) private view {
        if (creationPaused) revert CreationIsPaused();
        if (tokenB == address(0)) revert TokenBRequired();
        if (expectedAmountB == 0 || expectedAmountB > MAX_AMOUNT) {
            revert ExpectedAmountOutOfRange(expectedAmountB, 1, MAX_AMOUNT);
        }
        if (reward > MAX_AMOUNT) revert RewardTooHigh(reward, MAX_AMOUNT);
        if (!isDestinationListed(destChainId)) revert DestinationNotListed(destChainId);
        if (duration < MIN_AUCTION_DURATION || duration > MAX_AUCTION_DURATION) {
            revert AuctionDurationOutOfRange(duration, MIN_AUCTION_DURATION, MAX_AUCTION_DURATION);
        }
    }

    /// @dev Ten arguments don't fit on the stack beside createIntent's own, so most come from storage.
    function _emitCreated(uint256 intentId, address tokenA, Record storage intent) private {
        emit IntentCreated(
            intentId,
            intent.sender,
            intent.destChainId,
            tokenA,
            intent.tokenB,
            intent.amountA,
            intent.expectedAmountB,
            intent.reward,
            intent.endTime,
            CalldataBlob.read()
        );
    }

    function _onlyRelayer() private view {
        if (msg.sender != relayer) revert NotRelayer(msg.sender, relayer);
    }

    /// @dev Makes the caller the intent's solver at `amountB`.
    function _recordOffer(Record storage intent, uint256 amountB, uint256 minimum) private {
        if (amountB < minimum) revert BidTooLow(amountB, minimum);
        if (amountB > MAX_AMOUNT) revert BidTooHigh(amountB, MAX_AMOUNT);
        intent.solver = msg.sender;
        // Checked two lines up.
        // forge-lint: disable-next-line(unsafe-typecast)
        intent.amountB = uint96(amountB);
    }

    /// @dev Least commitment with which the caller may pick the intent up now, or revert.
    function _pickupMinimum(uint256 intentId, Record storage intent)
        private
        view
        returns (uint256)
    {
        uint256 endTime = intent.endTime;
        address bestBidder = intent.solver;
        if (bestBidder == address(0)) revert NoBid(intentId);
        if (block.timestamp < endTime) revert AuctionStillOpen(endTime);
        uint256 openToAll = endTime + PICKUP_WINDOW;
        if (block.timestamp < openToAll) {
            if (msg.sender != bestBidder) revert PickupReserved(bestBidder, openToAll);
            return intent.amountB;
        }
        uint256 closedAt = openToAll + PICKUP_WINDOW;
        if (block.timestamp >= closedAt) revert PickupOver(closedAt);
        return intent.expectedAmountB;
    }
}
