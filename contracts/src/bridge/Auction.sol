// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase} from "../interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {Stakes} from "./Stakes.sol";

/// @title Bids, and who becomes the winner
/// @notice A best bidder that doesn't deposit loses its lock, whether or not somebody else picks
///         the intent up. So it doesn't pay to kill an auction, or to buy it back with another
///         account for at most 1 % less.
abstract contract Auction is Stakes {
    /// @dev The second window's floor falls from the best bid to 99 % of it.
    uint256 private constant DROP_DIVISOR = 100;

    /// @inheritdoc IBridgeIntentV2
    function placeBid(uint256 intentId, uint256 amountB) external {
        Record storage intent = _inPhase(intentId, Phase.Open);
        if (block.timestamp >= intent.endTime) revert AuctionOver(intent.endTime);
        if (intent.feeTier == 0) revert NotAnchored(intentId);
        address outbid = intent.solver;
        uint256 best = intent.amountB;
        uint256 minimum = outbid == address(0) ? intent.expectedAmountB : best + 1;
        if (outbid != msg.sender) {
            uint256 bond = _bondOf(intent.escrow);
            _lock(msg.sender, intent.tokenIndex, bond);
            if (outbid != address(0)) _unlock(outbid, intent.tokenIndex, bond);
        }
        _recordOffer(intent, amountB, minimum);
        emit BidPlaced(intentId, msg.sender, amountB);
    }

    /// @inheritdoc IBridgeIntentV2
    function depositAndPickup(
        uint256 intentId,
        bytes32 paramsHash,
        bytes32 blobsHash,
        uint256 amountB
    ) external {
        Record storage intent = _inPhase(intentId, Phase.Open);
        _checkTerms(intent, paramsHash, blobsHash);
        (address bestBidder, uint256 best) = (intent.solver, intent.amountB);
        if (bestBidder == address(0)) revert NoBid(intentId);
        uint256 minimum = _pickupMinimum(intent, bestBidder, best);
        if (msg.sender != bestBidder || amountB != best) _recordOffer(intent, amountB, minimum);

        uint32 fillDeadline;
        unchecked {
            // Creation refuses auctions that would end too late for this.
            fillDeadline = uint32(block.timestamp) + EXECUTION_WINDOW;
        }
        uint256 escrow = intent.escrow;
        intent.phase = Phase.Deposited;
        intent.fillDeadline = fillDeadline;
        uint256 bond = _bondOf(escrow);
        emit SolverDeposited(intentId, msg.sender, amountB, bond, fillDeadline);
        if (msg.sender != bestBidder) _takeOver(intentId, bestBidder, intent.tokenIndex, bond);
    }

    function _takeOver(uint256 intentId, address bestBidder, uint16 tokenIndex, uint256 bond)
        private
        nonReentrant
    {
        _lock(msg.sender, tokenIndex, bond);
        _forfeit(intentId, bestBidder, tokenIndex, bond);
    }

    /// @dev Makes the caller the intent's solver, for `amountB`.
    function _recordOffer(Record storage intent, uint256 amountB, uint256 minimum) private {
        if (amountB < minimum) revert BidTooLow(amountB, minimum);
        if (amountB > type(uint96).max) revert BidTooHigh(amountB, type(uint96).max);
        intent.solver = msg.sender;
        // Checked two lines up.
        // forge-lint: disable-next-line(unsafe-typecast)
        intent.amountB = uint96(amountB);
    }

    /// @dev Least commitment with which the caller may pick the intent up now, or revert.
    function _pickupMinimum(Record storage intent, address bestBidder, uint256 best)
        private
        view
        returns (uint256)
    {
        // Times have 32 bits, bids 96.
        unchecked {
            (uint256 endTime, uint256 window) = (intent.endTime, PICKUP_WINDOW);
            if (block.timestamp < endTime) revert AuctionStillOpen(endTime);
            uint256 openToAll = endTime + window;
            uint256 closedAt = openToAll + window;
            if (block.timestamp >= closedAt) revert PickupOver(closedAt);
            if (msg.sender == bestBidder) return best;
            if (block.timestamp < openToAll) revert PickupReserved(bestBidder, openToAll);
            uint256 elapsed = block.timestamp - openToAll;
            uint256 floor = best - best * elapsed / (DROP_DIVISOR * window);
            return floor > intent.expectedAmountB ? floor : intent.expectedAmountB;
        }
    }
}
