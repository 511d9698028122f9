// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {BridgeStorage} from "./BridgeStorage.sol";
import {IntentId} from "./IntentId.sol";
import {Payouts} from "./Payouts.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title The destination side: paying an intent's recipients
/// @notice Tokens go straight from the solver to the recipients. Only an amount that the token
///         refuses to move to a recipient is held here, for that recipient alone. No event of a
///         delivery names a recipient.
abstract contract Deliveries is BridgeStorage, IBridgeIntentV2, Payouts, ReentrancyGuardTransient {
    /// @dev Most recipients of one delivery.
    uint256 private constant MAX_RECIPIENTS = 200;

    mapping(address owner => mapping(address token => uint256)) private _refused;

    /// @inheritdoc IBridgeIntentV2
    function solveIntent(
        uint256 sourceChainId,
        uint256 intentId,
        bytes32 paramsHash,
        address tokenB,
        address[] calldata recipients,
        uint256[] calldata amounts,
        uint256 deadline
    ) external nonReentrant returns (uint256 chain2IntentId) {
        if (block.timestamp > deadline) revert DeadlinePassed(deadline);
        if (IntentId.chainOf(intentId) != sourceChainId) {
            revert ForeignIntentId(intentId, sourceChainId);
        }
        bytes32 listHash = _listHash(recipients, amounts);
        chain2IntentId = _record(
            keccak256(abi.encode(sourceChainId, intentId, paramsHash, tokenB, msg.sender, listHash))
        );
        (uint256 amountB, uint256 refused) = _payRecipients(tokenB, recipients, amounts);
        emit IntentSolved(
            chain2IntentId, sourceChainId, intentId, paramsHash, msg.sender, tokenB, amountB
        );
        if (refused == 0) return chain2IntentId;
        emit DeliveryCredited(chain2IntentId, tokenB, refused);
        _pull(tokenB, refused);
    }

    /// @inheritdoc IBridgeIntentV2
    function claimDelivery(address owner, address token) external nonReentrant {
        uint256 amount = _notNothing(_refused[owner][token], owner, token);
        delete _refused[owner][token];
        emit DeliveryClaimed(owner, token, amount);
        _pay(token, owner, amount);
    }

    /// @inheritdoc IBridgeIntentV2
    function deliveryAt(bytes32 key) external view returns (uint64 sequence, uint64 solvedAt) {
        Delivered storage delivered = _deliveries[key];
        return (delivered.sequence, delivered.solvedAt);
    }

    /// @inheritdoc IBridgeIntentV2
    function claimableDelivery(address owner, address token) external view returns (uint256) {
        return _refused[owner][token];
    }

    function _record(bytes32 key) private returns (uint256) {
        Delivered storage delivered = _deliveries[key];
        uint64 sequence = delivered.sequence;
        if (sequence != 0) revert AlreadySolved(IntentId.pack(block.chainid, sequence));
        sequence = ++_deliverySequence;
        (delivered.sequence, delivered.solvedAt) = (sequence, uint64(block.timestamp));
        return IntentId.pack(block.chainid, sequence);
    }

    /// @dev Pays or credits everybody. Returns the sum, and how much of it was refused.
    function _payRecipients(
        address tokenB,
        address[] calldata recipients,
        uint256[] calldata amounts
    ) private returns (uint256 total, uint256 refused) {
        for (uint256 i = 0; i < recipients.length; ++i) {
            (address recipient, uint256 amount) = (recipients[i], amounts[i]);
            if (recipient == address(0) || recipient == address(this)) revert InvalidRecipient(i);
            if (amount == 0) revert ZeroAmount(i);
            total += amount;
            if (_tryMove(tokenB, recipient, amount)) continue;
            refused += amount;
            _refused[recipient][tokenB] += amount;
        }
    }

    /// @dev keccak256(abi.encode(recipients, amounts)), copied in one piece: for each address, the
    ///      compiler's encoder costs as much as the fixed part of a transfer. The code that reads
    ///      the addresses afterwards checks that they are clean.
    function _listHash(address[] calldata recipients, uint256[] calldata amounts)
        private
        pure
        returns (bytes32 hash)
    {
        uint256 count = recipients.length;
        if (count == 0 || count > MAX_RECIPIENTS || count != amounts.length) {
            revert RecipientCountInvalid(count, amounts.length, MAX_RECIPIENTS);
        }
        assembly ("memory-safe") {
            let free := mload(0x40)
            let bytesEach := mul(count, 0x20)
            let second := add(0x60, bytesEach)
            mstore(free, 0x40)
            mstore(add(free, 0x20), second)
            mstore(add(free, 0x40), count)
            calldatacopy(add(free, 0x60), recipients.offset, bytesEach)
            mstore(add(free, second), count)
            calldatacopy(add(add(free, second), 0x20), amounts.offset, bytesEach)
            hash := keccak256(free, add(add(second, 0x20), bytesEach))
        }
    }
}
