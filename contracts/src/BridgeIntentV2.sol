// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AnnouncedChanges} from "./bridge/AnnouncedChanges.sol";
import {Auction} from "./bridge/Auction.sol";
import {BridgeAdministration} from "./bridge/BridgeAdministration.sol";
import {BridgeStorage} from "./bridge/BridgeStorage.sol";
import {Creation} from "./bridge/Creation.sol";
import {Deliveries} from "./bridge/Deliveries.sol";
import {EnclaveSignatures} from "./bridge/EnclaveSignatures.sol";
import {IntentBook} from "./bridge/IntentBook.sol";
import {IntentId} from "./bridge/IntentId.sol";
import {Naming} from "./bridge/Naming.sol";
import {Stakes} from "./bridge/Stakes.sol";
import {Telling} from "./bridge/Telling.sol";
import {NotDelivered, Phase, Settlement, TokenListing, Windows} from "./interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "./interfaces/IBridgeIntentV2.sol";

/// @title Confidential cross-chain intents
/// @notice One deployment per chain holds both the source and the destination side. It can't be
///         upgraded, and nobody can move an open intent's escrow except to its winner, on the
///         enclaves' attestation, or back to its sender. This file is the way out.
contract BridgeIntentV2 is BridgeStorage, Creation, Naming, Auction, Telling, Deliveries {
    uint8 private constant REASON_EXPIRED = 0;
    uint8 private constant REASON_FAILED = 1;

    /// @param owner Administers the lists and the pause.
    /// @param treasury First treasury.
    /// @param registry The EnclaveKeyRegistry; final.
    /// @param forfeitReceiver Receives forfeited stakes; final, and an address nobody controls.
    /// @param windows Windows and delays; final.
    /// @param tokens Listed at once, like the next two.
    /// @param destinations Destination chains.
    /// @param periphery Contracts that may create intents for users.
    constructor(
        address owner,
        address treasury,
        address registry,
        address forfeitReceiver,
        Windows memory windows,
        TokenListing[] memory tokens,
        uint256[] memory destinations,
        address[] memory periphery
    )
        AnnouncedChanges(owner, windows.announcementDelay)
        BridgeAdministration(treasury)
        IntentBook(windows)
        EnclaveSignatures(registry)
        Stakes(forfeitReceiver)
    {
        emit BridgeDeployed(
            registry,
            treasury,
            forfeitReceiver,
            windows.minAuctionDuration,
            windows.firmSeconds,
            windows.pickupWindow,
            windows.executionWindow,
            windows.settlementGrace
        );
        _listAll(tokens, destinations, periphery);
    }

    /// @inheritdoc IBridgeIntentV2
    function settleIntent(Settlement calldata settlement, bytes[] calldata signatures)
        external
        nonReentrant
    {
        Record storage intent = _inPhase(settlement.intentId, Phase.Deposited);
        _checkTerms(intent, settlement.paramsHash, settlement.blobsHash);
        _checkWinner(intent, settlement.solver, settlement.amountB);
        _checkDelivery(intent, settlement.chain2IntentId);
        address attester =
            _checkQuorum(intent, _digest(abi.encode(SETTLEMENT_TYPEHASH, settlement)), signatures);

        address token = _tokenAt(intent.tokenIndex);
        uint256 escrow = intent.escrow;
        uint256 fee = (escrow - intent.reward) * _feeBpsOf(intent.feeTier) / BPS;
        intent.phase = Phase.Settled;
        _unlock(settlement.solver, intent.tokenIndex, _bondOf(escrow));
        _addFee(token, fee);
        emit IntentSettled(
            settlement.intentId,
            settlement.solver,
            escrow - fee,
            fee,
            settlement.chain2IntentId,
            attester
        );
        _push(token, settlement.solver, escrow - fee);
    }

    /// @inheritdoc IBridgeIntentV2
    function cancelIntent(uint256 intentId) external nonReentrant {
        Record storage intent = _inPhase(intentId, Phase.Open);
        address sender = intent.sender;
        _requireSender(intent);
        uint256 amount = intent.escrow;
        address bestBidder = intent.solver;
        if (bestBidder != address(0)) {
            _requireNotFirm(intent);
            _unlock(bestBidder, intent.tokenIndex, _bondOf(amount));
        }
        intent.phase = Phase.Cancelled;
        emit IntentCancelled(intentId, sender, amount);
        _push(_tokenAt(intent.tokenIndex), sender, amount);
    }

    /// @inheritdoc IBridgeIntentV2
    function refundUndelivered(NotDelivered calldata notDelivered, bytes[] calldata signatures)
        external
        nonReentrant
    {
        uint256 intentId = notDelivered.intentId;
        Record storage intent = _inPhase(intentId, Phase.Deposited);
        _checkTerms(intent, notDelivered.paramsHash, notDelivered.blobsHash);
        _checkWinner(intent, notDelivered.solver, notDelivered.amountB);
        uint256 fillDeadline = intent.fillDeadline;
        if (notDelivered.fillDeadline != fillDeadline) {
            revert WrongFillDeadline(notDelivered.fillDeadline, fillDeadline);
        }
        _requireRefundable(intentId, fillDeadline);
        _checkQuorum(intent, _digest(abi.encode(NOT_DELIVERED_TYPEHASH, notDelivered)), signatures);
        _giveBack(intentId, intent, REASON_FAILED);
    }

    /// @inheritdoc IBridgeIntentV2
    function refund(uint256 intentId) external nonReentrant {
        Record storage intent = _existing(intentId);
        Phase phase = intent.phase;
        if (phase != Phase.Deposited && phase != Phase.Open) {
            revert WrongPhase(intentId, phase, Phase.Open);
        }
        _requireRefundable(intentId, _refundableAt(intent));
        _giveBack(intentId, intent, phase == Phase.Deposited ? REASON_FAILED : REASON_EXPIRED);
    }

    /// @inheritdoc IBridgeIntentV2
    function claim(address token, address to) external nonReentrant {
        if (to == address(0) || to == address(this)) revert InvalidReceiver(to);
        _claim(token, to);
    }

    /// @inheritdoc IBridgeIntentV2
    function collectFees(address token) external nonReentrant {
        _collect(token, treasury);
    }

    /// @inheritdoc IBridgeIntentV2
    function claimable(address owner, address token) external view returns (uint256) {
        return _creditOf(owner, token);
    }

    /// @inheritdoc IBridgeIntentV2
    function uncollectedFees(address token) external view returns (uint256) {
        return _feesOf(token);
    }

    /// @dev Returns the whole escrow to the sender. The best bidder's or winner's lock is
    ///      forfeited, unless it asked for the recipients and didn't get them.
    function _giveBack(uint256 intentId, Record storage intent, uint8 reason) private {
        address sender = intent.sender;
        address solver = intent.solver;
        uint256 amount = intent.escrow;
        uint256 bond = solver == address(0) ? 0 : _bondOf(amount);
        if (intent.flags & (ASKED | REVEALED) == ASKED) {
            _unlock(solver, intent.tokenIndex, bond);
            bond = 0;
        }
        intent.phase = Phase.Refunded;
        emit IntentRefunded(intentId, sender, amount, bond, reason);
        if (bond != 0) _forfeit(intentId, solver, intent.tokenIndex, bond);
        _push(_tokenAt(intent.tokenIndex), sender, amount);
    }

    /// @dev When anyone may first refund an open or deposited intent.
    function _refundableAt(Record storage intent) private view returns (uint256) {
        if (intent.phase == Phase.Deposited) {
            return uint256(intent.fillDeadline) + SETTLEMENT_GRACE;
        }
        if (intent.solver == address(0)) return intent.endTime;
        return uint256(intent.endTime) + 2 * uint256(PICKUP_WINDOW);
    }

    function _requireRefundable(uint256 intentId, uint256 from) private view {
        if (block.timestamp < from) revert NotRefundableYet(intentId, from);
    }

    /// @dev The enclaves must have signed for this intent's winner and its commitment.
    function _checkWinner(Record storage intent, address solver, uint256 amountB) private view {
        if (solver != intent.solver) revert WrongSolver(solver, intent.solver);
        if (amountB != intent.amountB) revert WrongAmount(amountB, intent.amountB);
    }

    function _checkDelivery(Record storage intent, uint256 chain2IntentId) private view {
        uint256 chainId = IntentId.chainOf(chain2IntentId);
        uint256 expected = _destinationAt(intent.destinationIndex);
        if (chainId != expected) revert WrongDestination(chainId, expected);
    }
}
