// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

import {Phase} from "./BridgeTypes.sol";

/// @title BridgeIntentV2's errors
/// @notice Each error carries the given value and what would have been accepted.
interface IBridgeErrors {
    /// @notice An account that must be set is the zero address.
    error ZeroAddress();
    /// @notice A window of the constructor is zero seconds long.
    error ZeroWindow();
    /// @notice The address has no code or no balanceOf, so it can't be a token.
    error NotAContract(address account);
    /// @notice A token's range must satisfy `least <= minimum <= maximum <= greatest`.
    error InvalidAmountRange(uint256 minimum, uint256 maximum, uint256 least, uint256 greatest);
    /// @notice A token's quorum must be from 1 to `maximum` signatures.
    error InvalidQuorum(uint256 quorum, uint256 maximum);
    /// @notice A destination must be another chain, with an id from 1 to `greatest`.
    error InvalidDestination(uint256 destChainId, uint256 greatest);
    /// @notice The list is full, counting former entries.
    error ListFull(uint256 maximum);

    /// @notice Only changes that add to a list or replace the treasury are announced.
    error NotAnnounceable(bytes4 selector);
    /// @notice The change is announced already.
    error AlreadyAnnounced(bytes32 changeId, uint256 activeAt);
    /// @notice The change wasn't announced, or has since been enacted, withdrawn or voided by a
    ///         removal.
    error NotAnnounced(bytes32 changeId);
    /// @notice The change can be enacted from `activeAt` on.
    error NotActiveYet(bytes32 changeId, uint256 activeAt);

    /// @notice The owner has paused the creation of intents.
    error CreationIsPaused();
    /// @notice The owner has not paused the creation of intents.
    error CreationIsNotPaused();
    /// @notice The token is not on this bridge's allow-list.
    error TokenNotListed(address token);
    /// @notice The destination chain is not on this bridge's allow-list.
    error DestinationNotListed(uint256 destChainId);
    /// @notice The contract is not on the list of those that create intents for users.
    error PeripheryNotListed(address periphery);
    /// @notice `tokenB` is the zero address.
    error TokenBRequired();
    /// @notice What goes into escrow, `amountA + reward`, is outside the token's range.
    error AmountOutOfRange(uint256 escrow, uint256 minimum, uint256 maximum);
    /// @notice `expectedAmountB` is zero or too great.
    error ExpectedAmountOutOfRange(uint256 expectedAmountB, uint256 minimum, uint256 maximum);
    /// @notice `reward` is above 20 % of `amountA`.
    error RewardTooHigh(uint256 reward, uint256 maximum);
    /// @notice The auction is too short or too long, in seconds.
    error AuctionDurationOutOfRange(uint256 duration, uint256 minimum, uint256 maximum);
    /// @notice The token didn't move what it was asked to, and gave no reason.
    error TransferRefused(address token);
    /// @notice The token delivered less than it was asked to move.
    error TransferShort(address token, uint256 expected, uint256 received);

    /// @notice This bridge has no intent with this id.
    error UnknownIntent(uint256 intentId);
    /// @notice The intent isn't in the phase that the call needs.
    error WrongPhase(uint256 intentId, Phase current, Phase expected);
    /// @notice The caller is not the intent's sender.
    error NotSender(address caller, address sender);
    /// @notice The caller is not the intent's winner.
    error NotWinner(address caller, address winner);
    /// @notice The terms named are not the intent's: after a reorg another intent may have its id.
    error WrongParams(bytes32 given, bytes32 expected);
    /// @notice The blobs named are not those on chain: one was added since, or a reorg removed one.
    error WrongBlobs(bytes32 given, bytes32 expected);
    /// @notice The fee is neither of the two tiers.
    error FeeTierUnknown(uint16 feeBps, uint16 unshielded, uint16 shielded);
    /// @notice A recipient class is a power of two from 1 to `maximum`.
    error RecipientClassUnknown(uint16 recipientClass, uint16 maximum);
    /// @notice The intent is already anchored, at this fee.
    error AlreadyAnchored(uint256 intentId, uint16 feeBps);
    /// @notice The intent has not been anchored, so it takes no bids yet.
    error NotAnchored(uint256 intentId);
    /// @notice The sender has already named recipients by its own call.
    error AlreadyNamed(uint256 intentId);
    /// @notice From `firmAt` on recipients are final, and an intent with a bid can't be cancelled.
    error Firm(uint256 firmAt);
    /// @notice A recovery blob is needed here.
    error BlobRequired(uint256 intentId);
    /// @notice The blob is longer than any bundle needs, in bytes.
    error BlobTooLong(uint256 length, uint256 maximum);

    /// @notice The coordinates are not those of a point of secp256k1.
    error NotOnCurve(uint256 x, uint256 y);
    /// @notice The solver has already set its sealing key, which is final.
    error SealingKeyIsSet(address solver);
    /// @notice A solver must set its sealing key before it can stake.
    error NoSealingKey(address solver);
    /// @notice The amount is zero, or more than can be staked at once.
    error StakeOutOfRange(uint256 amount, uint256 maximum);
    /// @notice The solver has less unlocked stake than needed, in base units.
    error StakeTooLow(address solver, address token, uint256 free, uint256 needed);

    /// @notice The auction took bids only while block time < endTime.
    error AuctionOver(uint256 endTime);
    /// @notice The auction takes bids until block time = endTime; deposits come after it.
    error AuctionStillOpen(uint256 endTime);
    /// @notice The bid is below the least that is accepted now.
    error BidTooLow(uint256 amountB, uint256 minimum);
    /// @notice The bid is above what the contract can store.
    error BidTooHigh(uint256 amountB, uint256 maximum);
    /// @notice The intent has no bid, so it can't be picked up.
    error NoBid(uint256 intentId);
    /// @notice Until then only the best bidder may deposit.
    error PickupReserved(address bestBidder, uint256 until);
    /// @notice Both pickup windows have passed.
    error PickupOver(uint256 closedAt);

    /// @notice The call counts while `from` <= block time < `until`.
    error OutsideWindow(uint256 from, uint256 until);
    /// @notice The winner has already asked for the recipients.
    error AlreadyAsked(uint256 intentId);
    /// @notice The recipients have already been revealed.
    error AlreadyRevealed(uint256 intentId);

    /// @notice The intent id was not issued on this source chain.
    error ForeignIntentId(uint256 intentId, uint256 sourceChainId);
    /// @notice The caller has already delivered exactly this.
    error AlreadySolved(uint256 chain2IntentId);
    /// @notice The delivery had to happen by `deadline`, inclusive.
    error DeadlinePassed(uint256 deadline);
    /// @notice Recipients and amounts must have the same length, from 1 to `maximum`.
    error RecipientCountInvalid(uint256 recipients, uint256 amounts, uint256 maximum);
    /// @notice This recipient is the zero address or the bridge itself.
    error InvalidRecipient(uint256 position);
    /// @notice This recipient's amount is zero.
    error ZeroAmount(uint256 position);

    /// @notice The number of signatures is not the intent's quorum.
    error WrongSignatureCount(uint256 given, uint256 quorum);
    /// @notice Signatures must be in rising order of their signers.
    error SignersNotSorted(address before, address signer);
    /// @notice Two of the signatures come from keys of one operator.
    error SameOperator(address operator);
    /// @notice The signer is not an enclave key that counts here.
    error AttesterNotActive(address attester);
    /// @notice The enclaves signed for another solver than the winner.
    error WrongSolver(address signed, address winner);
    /// @notice The enclaves signed for another amount than the winner's commitment.
    error WrongAmount(uint256 signed, uint256 committed);
    /// @notice The delivery was on a chain other than the intent's destination.
    error WrongDestination(uint256 signed, uint256 expected);
    /// @notice The enclaves signed for another deadline than the winner's.
    error WrongFillDeadline(uint256 signed, uint256 expected);

    /// @notice The intent can't be refunded before this time.
    error NotRefundableYet(uint256 intentId, uint256 refundableAt);
    /// @notice There is nothing to pay out.
    error NothingOwed(address owner, address token);
    /// @notice Tokens sent there would be lost.
    error InvalidReceiver(address to);
    /// @notice A payment needs at least this much gas left, so that running out of gas can't pass
    ///         for a refused payment.
    error InsufficientGas(uint256 left, uint256 required);
}
