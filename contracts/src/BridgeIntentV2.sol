// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Auction} from "./bridge/Auction.sol";
import {BridgeAdministration} from "./bridge/BridgeAdministration.sol";
import {Delivery} from "./bridge/Delivery.sol";
import {IntentBook} from "./bridge/IntentBook.sol";
import {SettlementAttestation} from "./bridge/SettlementAttestation.sol";
import {Phase, Settlement} from "./interfaces/BridgeTypes.sol";
import {IBridgeIntentV2} from "./interfaces/IBridgeIntentV2.sol";

/// @title Confidential cross-chain intents
/// @notice One deployment per chain, source and destination side in one contract. There is no
///         upgrade and no way for anyone to move an open intent's escrow other than to its winner
///         against an attestation, or back to its sender. This file is the way out; the way in is
///         `Auction`, the destination side is `Delivery`.
contract BridgeIntentV2 is Auction, Delivery, SettlementAttestation {
    uint8 private constant REASON_EXPIRED = 0;
    uint8 private constant REASON_FAILED = 1;

    /// @param owner Who administers lists and roles.
    /// @param relayer First relayer.
    /// @param treasury First treasury.
    /// @param registry The EnclaveKeyRegistry, for good.
    /// @param pickupWindow Seconds, at least 1. Production: 60.
    /// @param executionWindow Seconds, at least 1. Production: 3,600.
    /// @param settlementGrace Seconds, at least 1. Production: 3,600.
    constructor(
        address owner,
        address relayer,
        address treasury,
        address registry,
        uint32 pickupWindow,
        uint32 executionWindow,
        uint32 settlementGrace
    )
        BridgeAdministration(owner, relayer, treasury)
        IntentBook(pickupWindow, executionWindow, settlementGrace)
        SettlementAttestation(registry)
    {
        emit BridgeDeployed(relayer, treasury, pickupWindow, executionWindow, settlementGrace);
    }

    /// @inheritdoc IBridgeIntentV2
    function settleIntent(Settlement calldata settlement, bytes calldata signature)
        external
        nonReentrant
    {
        Record storage intent = _inPhase(settlement.intentId, Phase.Deposited);
        _checkSettlement(intent, settlement);
        address attester = _attesterOf(settlement, signature);

        address token = _tokenAt(intent.tokenIndex);
        address winner = intent.solver;
        uint256 fee = uint256(intent.amountA) * intent.feeBps / BPS;
        uint256 payout = _escrowOf(intent) - fee + intent.bond;
        intent.phase = Phase.Settled;
        _addFee(token, fee);

        emit IntentSettled(
            settlement.intentId,
            winner,
            payout,
            fee,
            settlement.chain2IntentId,
            settlement.solveTxHash,
            attester
        );
        _push(token, winner, payout);
    }

    /// @inheritdoc IBridgeIntentV2
    function cancelIntent(uint256 intentId) external nonReentrant {
        Record storage intent = _inPhase(intentId, Phase.Open);
        address sender = intent.sender;
        if (msg.sender != sender) revert NotSender(msg.sender, sender);
        if (intent.solver != address(0)) revert HasBid(intentId, intent.solver);
        uint256 amount = _escrowOf(intent);
        intent.phase = Phase.Cancelled;
        emit IntentCancelled(intentId, sender, amount);
        _push(_tokenAt(intent.tokenIndex), sender, amount);
    }

    /// @inheritdoc IBridgeIntentV2
    function refund(uint256 intentId) external nonReentrant {
        Record storage intent = _existing(intentId);
        Phase phase = intent.phase;
        if (phase != Phase.Deposited && phase != Phase.Open) {
            revert WrongPhase(intentId, phase, Phase.Open);
        }
        uint256 refundableAt = _refundableAt(intent);
        if (block.timestamp < refundableAt) revert NotRefundableYet(intentId, refundableAt);

        address sender = intent.sender;
        uint256 amount = _escrowOf(intent);
        uint256 bond = intent.bond;
        intent.phase = Phase.Refunded;
        uint8 reason = phase == Phase.Deposited ? REASON_FAILED : REASON_EXPIRED;
        emit IntentRefunded(intentId, sender, amount, bond, reason);
        _push(_tokenAt(intent.tokenIndex), sender, amount + bond);
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

    /// @inheritdoc IBridgeIntentV2
    function settlementDigest(Settlement calldata settlement) external view returns (bytes32) {
        return _digest(settlement);
    }

    /// @dev From when on an open or deposited intent can be refunded.
    function _refundableAt(Record storage intent) private view returns (uint256) {
        if (intent.phase == Phase.Deposited) {
            return uint256(intent.fillDeadline) + SETTLEMENT_GRACE;
        }
        if (intent.solver == address(0)) return intent.endTime;
        return uint256(intent.endTime) + 2 * uint256(PICKUP_WINDOW);
    }

    /// @dev What is attested must be this intent's winner, destination, fee and commitment.
    function _checkSettlement(Record storage intent, Settlement calldata settlement) private view {
        if (settlement.solver != intent.solver) {
            revert WrongSolver(settlement.solver, intent.solver);
        }
        if (settlement.destChainId != intent.destChainId) {
            revert WrongDestination(settlement.destChainId, intent.destChainId);
        }
        if (settlement.feeBps != intent.feeBps) {
            revert WrongFee(settlement.feeBps, intent.feeBps);
        }
        if (settlement.amountB < intent.amountB) {
            revert DeliveredTooLittle(settlement.amountB, intent.amountB);
        }
    }
}
