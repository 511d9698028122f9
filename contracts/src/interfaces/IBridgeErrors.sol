// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase} from "./BridgeTypes.sol";

/// @title Why BridgeIntentV2 refused
/// @notice Each error carries what was given and what would have been accepted.
interface IBridgeErrors {
    /// @notice An account that must be set is the zero address.
    error ZeroAddress();
    /// @notice A window of the constructor is zero seconds long.
    error ZeroWindow();
    /// @notice The address has no code, so it can't be a token.
    error NotAContract(address account);
    /// @notice A token's range must satisfy `0 < minimum <= maximum <= greatest`.
    error InvalidAmountRange(uint256 minimum, uint256 maximum, uint256 greatest);
    /// @notice A destination must be another chain, with an id from 1 to `greatest`.
    error InvalidDestination(uint256 destChainId, uint256 greatest);

    /// @notice The owner has paused the creation of intents.
    error CreationIsPaused();
    /// @notice The owner has not paused the creation of intents.
    error CreationIsNotPaused();
    /// @notice The token is not on this bridge's allow-list.
    error TokenNotListed(address token);
    /// @notice The destination chain is not on this bridge's allow-list.
    error DestinationNotListed(uint256 destChainId);
    /// @notice `tokenB` is the zero address.
    error TokenBRequired();
    /// @notice `amountA` is outside the token's range.
    error AmountOutOfRange(uint256 amountA, uint256 minimum, uint256 maximum);
    /// @notice `expectedAmountB` is zero or too great.
    error ExpectedAmountOutOfRange(uint256 expectedAmountB, uint256 minimum, uint256 maximum);
    /// @notice `reward` is too great.
    error RewardTooHigh(uint256 reward, uint256 maximum);
    /// @notice The auction is too short or too long, in seconds.
    error AuctionDurationOutOfRange(uint256 duration, uint256 minimum, uint256 maximum);
    /// @notice The token delivered less than it was asked to move.
    error TransferShort(address token, uint256 expected, uint256 received);

    /// @notice No intent of this bridge has this id.
    error UnknownIntent(uint256 intentId);
    /// @notice The intent is in another phase than the call needs.
    error WrongPhase(uint256 intentId, Phase current, Phase expected);
    /// @notice The caller is not the relayer.
    error NotRelayer(address caller, address relayer);
    /// @notice The caller is not the intent's sender.
    error NotSender(address caller, address sender);
    /// @notice The fee is neither of the two tiers.
    error FeeTierUnknown(uint16 feeBps, uint16 unshielded, uint16 shielded);
    /// @notice The intent has been anchored before, at this fee.
    error AlreadyAnchored(uint256 intentId, uint16 feeBps);
    /// @notice The intent has not been anchored, so it takes no bids yet.
    error NotAnchored(uint256 intentId);
    /// @notice A recovery blob is needed here.
    error BlobRequired(uint256 intentId);

    /// @notice The auction took bids only while block time < endTime.
    error AuctionOver(uint256 endTime);
    /// @notice The auction takes bids until block time = endTime; deposits come after it.
    error AuctionStillOpen(uint256 endTime);
    /// @notice The bid is below the least that is accepted now.
    error BidTooLow(uint256 amountB, uint256 minimum);
    /// @notice The bid is above what the contract can store.
    error BidTooHigh(uint256 amountB, uint256 maximum);
    /// @notice The intent has a bid, so it can't be cancelled.
    error HasBid(uint256 intentId, address bidder);
    /// @notice The intent has no bid, so it can't be picked up.
    error NoBid(uint256 intentId);
    /// @notice Until then only the best bidder may deposit.
    error PickupReserved(address bestBidder, uint256 until);
    /// @notice Both pickup windows have passed.
    error PickupOver(uint256 closedAt);

    /// @notice The intent id was not issued on this source chain.
    error ForeignIntentId(uint256 intentId, uint256 sourceChainId);
    /// @notice The caller has delivered this intent before.
    error AlreadySolved(uint256 chain2IntentId);
    /// @notice Recipients and amounts must be of one length from 1 to `maximum`.
    error RecipientCountInvalid(uint256 recipients, uint256 amounts, uint256 maximum);
    /// @notice This recipient is the zero address.
    error ZeroRecipient(uint256 position);
    /// @notice This recipient's amount is zero.
    error ZeroAmount(uint256 position);

    /// @notice The attestation was good until `deadline`, inclusive.
    error AttestationExpired(uint256 deadline);
    /// @notice The attestation names another solver than the winner.
    error WrongSolver(address attested, address winner);
    /// @notice The attestation names another destination than the intent.
    error WrongDestination(uint256 attested, uint256 expected);
    /// @notice The attestation names another fee than the anchored one.
    error WrongFee(uint16 attested, uint16 anchored);
    /// @notice The attested delivery is below what the winner committed to.
    error DeliveredTooLittle(uint256 amountB, uint256 minimum);
    /// @notice The attestation's signer is not an active enclave key.
    error AttesterNotActive(address attester);

    /// @notice The escape path opens at this time.
    error NotRefundableYet(uint256 intentId, uint256 refundableAt);
    /// @notice There is nothing to pay out here.
    error NothingOwed(address owner, address token);
    /// @notice Tokens sent there would be lost.
    error InvalidReceiver(address to);
    /// @notice A payment needs at least this much gas left, so that running out of gas can't pass
    ///         for a refused payment.
    error InsufficientGas(uint256 left, uint256 required);
}
