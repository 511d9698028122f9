// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {IntentId} from "./IntentId.sol";
import {Payouts} from "./Payouts.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title The destination side: paying an intent's recipients
/// @notice Tokens go straight from the solver to the recipients; nothing is held here. Recipients
///         appear in no event of this contract.
abstract contract Delivery is IBridgeIntentV2, Payouts, ReentrancyGuardTransient {
    /// @notice Most recipients of one delivery.
    uint256 public constant MAX_RECIPIENTS = 200;

    uint64 private _deliverySequence;
    mapping(bytes32 key => uint64 sequence) private _deliveries;

    /// @inheritdoc IBridgeIntentV2
    function solveIntent(
        uint256 sourceChainId,
        uint256 intentId,
        address tokenB,
        address[] calldata recipients,
        uint256[] calldata amounts
    ) external nonReentrant returns (uint256 chain2IntentId) {
        uint256 count = recipients.length;
        if (count == 0 || count > MAX_RECIPIENTS || count != amounts.length) {
            revert RecipientCountInvalid(count, amounts.length, MAX_RECIPIENTS);
        }
        chain2IntentId = _recordDelivery(sourceChainId, intentId);
        uint256 amountB = _payRecipients(tokenB, recipients, amounts);
        emit IntentSolved(chain2IntentId, sourceChainId, intentId, msg.sender, tokenB, amountB);
    }

    /// @inheritdoc IBridgeIntentV2
    function deliveryOf(uint256 sourceChainId, uint256 intentId, address solver)
        external
        view
        returns (uint256)
    {
        uint64 sequence = _deliveries[_deliveryKey(sourceChainId, intentId, solver)];
        return sequence == 0 ? 0 : IntentId.pack(block.chainid, sequence);
    }

    function _recordDelivery(uint256 sourceChainId, uint256 intentId) private returns (uint256) {
        if (IntentId.chainOf(intentId) != sourceChainId) {
            revert ForeignIntentId(intentId, sourceChainId);
        }
        bytes32 key = _deliveryKey(sourceChainId, intentId, msg.sender);
        uint64 earlier = _deliveries[key];
        if (earlier != 0) revert AlreadySolved(IntentId.pack(block.chainid, earlier));
        uint64 sequence = ++_deliverySequence;
        _deliveries[key] = sequence;
        return IntentId.pack(block.chainid, sequence);
    }

    function _payRecipients(
        address tokenB,
        address[] calldata recipients,
        uint256[] calldata amounts
    ) private returns (uint256 total) {
        for (uint256 i = 0; i < recipients.length; ++i) {
            if (recipients[i] == address(0)) revert ZeroRecipient(i);
            if (amounts[i] == 0) revert ZeroAmount(i);
            total += amounts[i];
            _move(tokenB, recipients[i], amounts[i]);
        }
    }

    function _deliveryKey(uint256 sourceChainId, uint256 intentId, address solver)
        private
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(sourceChainId, intentId, solver));
    }
}
