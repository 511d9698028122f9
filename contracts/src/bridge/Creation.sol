// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase} from "../interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {Blobs} from "./Blobs.sol";
import {CalldataBlob} from "./CalldataBlob.sol";
import {IntentId} from "./IntentId.sol";
import {Payouts} from "./Payouts.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title Creating intents
abstract contract Creation is Blobs, Payouts, ReentrancyGuardTransient {
    /// @dev The sender and the seven arguments of a creation.
    struct Params {
        address user;
        address tokenA;
        address tokenB;
        uint256 amountA;
        uint256 expectedAmountB;
        uint256 reward;
        uint256 destChainId;
        uint256 auctionDuration;
    }

    /// @dev Greatest reward, in hundredths of a percent of `amountA`.
    uint256 private constant MAX_REWARD_BPS = 2_000;

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
        return _create(
            Params(
                msg.sender,
                _tokenA,
                _tokenB,
                _amountA,
                _expectedAmountB,
                _reward,
                _destChainId,
                _auctionDuration
            ),
            CalldataBlob.read()
        );
    }

    /// @inheritdoc IBridgeIntentV2
    function createIntentFor(
        address user,
        address _tokenA,
        address _tokenB,
        uint256 _amountA,
        uint256 _expectedAmountB,
        uint256 _reward,
        uint256 _destChainId,
        uint256 _auctionDuration,
        bytes calldata encryptedBlob
    ) external nonReentrant returns (uint256 intentId) {
        _requirePeriphery(msg.sender);
        if (user == address(0)) revert ZeroAddress();
        return _create(
            Params(
                user,
                _tokenA,
                _tokenB,
                _amountA,
                _expectedAmountB,
                _reward,
                _destChainId,
                _auctionDuration
            ),
            encryptedBlob
        );
    }

    /// @dev The caller pays, `params.user` is the sender.
    function _create(Params memory params, bytes calldata blob) private returns (uint256 intentId) {
        _requireNotPaused();
        uint256 escrow = _checkOfferedTerms(params);
        (uint16 tokenIndex, uint8 quorum) = _checkOffer(params.tokenA, escrow);
        uint8 destinationIndex = _checkDestination(params.destChainId);
        intentId = IntentId.pack(block.chainid, ++_sequence);
        Record storage intent = _records[intentId];

        // Casts below can't truncate: everything was bounded above.
        // forge-lint: disable-start(unsafe-typecast)
        intent.escrow = uint96(escrow);
        intent.auctionDuration = uint32(params.auctionDuration);
        intent.endTime = uint32(block.timestamp + params.auctionDuration);
        intent.tokenIndex = tokenIndex;
        intent.destinationIndex = destinationIndex;
        intent.phase = Phase.Open;
        intent.quorum = quorum;
        intent.flags = blob.length == 0 ? 0 : BLOB_AT_CREATION;
        intent.sender = params.user;
        intent.reward = uint96(params.reward);
        intent.tokenB = params.tokenB;
        intent.expectedAmountB = uint96(params.expectedAmountB);
        // forge-lint: disable-end(unsafe-typecast)
        if (blob.length != 0) _commitTo(intent, KIND_CREATION, _hashOf(blob));

        _emitCreated(intentId, params, blob);
        _pull(params.tokenA, escrow);
    }

    /// @dev Reverts unless these terms can be offered and stored. Returns the escrow.
    function _checkOfferedTerms(Params memory params) private view returns (uint256) {
        if (params.tokenB == address(0)) revert TokenBRequired();
        if (params.expectedAmountB == 0 || params.expectedAmountB > type(uint96).max) {
            revert ExpectedAmountOutOfRange(params.expectedAmountB, 1, type(uint96).max);
        }
        // Keeps the sums below from overflowing; the token's own range is narrower.
        if (params.amountA > type(uint96).max) {
            revert AmountOutOfRange(params.amountA, MIN_ESCROW, type(uint96).max);
        }
        uint256 maxReward = params.amountA * MAX_REWARD_BPS / BPS;
        if (params.reward > maxReward) revert RewardTooHigh(params.reward, maxReward);
        uint256 maxDuration =
            type(uint32).max - block.timestamp - 2 * uint256(PICKUP_WINDOW) - EXECUTION_WINDOW;
        if (params.auctionDuration < MIN_AUCTION_DURATION || params.auctionDuration > maxDuration) {
            revert AuctionDurationOutOfRange(
                params.auctionDuration, MIN_AUCTION_DURATION, maxDuration
            );
        }
        return params.amountA + params.reward;
    }

    function _emitCreated(uint256 intentId, Params memory params, bytes calldata blob) private {
        emit IntentCreated(
            intentId,
            params.user,
            params.destChainId,
            params.tokenA,
            params.tokenB,
            params.amountA,
            params.expectedAmountB,
            params.reward,
            block.timestamp + params.auctionDuration,
            blob
        );
    }
}
