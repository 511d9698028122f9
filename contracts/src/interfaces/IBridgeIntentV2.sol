// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

import {Intent, NotDelivered, Settlement} from "./BridgeTypes.sol";
import {IBridgeErrors} from "./IBridgeErrors.sol";
import {IBridgeEvents} from "./IBridgeEvents.sol";

/// @title Confidential cross-chain intents, source and destination side
/// @notice A sender locks `tokenA` here. Solvers whose stake backs their bids compete to deliver
///         `tokenB` on another chain; the winner delivers there through that chain's bridge and is
///         paid here once enclaves have attested the delivery. If nobody delivers, anyone can send
///         the escrow back to the sender, without anybody's help.
interface IBridgeIntentV2 is IBridgeEvents, IBridgeErrors {
    /// @notice Set the secp256k1 point to which recipients are sealed, once and for good.
    /// @param x First coordinate.
    /// @param y Second coordinate.
    function setSealingKey(uint256 x, uint256 y) external;

    /// @notice Back bids on intents of a token. Needs a sealing key.
    /// @param token A token that is or was listed.
    /// @param amount Base units, pulled from the caller, not zero.
    function stake(address token, uint256 amount) external;

    /// @notice Withdraw unlocked stake to the caller.
    /// @param token The token.
    /// @param amount Base units, not zero.
    function unstake(address token, uint256 amount) external;

    /// @notice Offer `amountA` of `tokenA` for at least `expectedAmountB` of `tokenB` elsewhere.
    /// @dev Pulls `_amountA + _reward`; the caller's allowance must cover both. A recovery blob may
    ///      follow the arguments in calldata, see `CalldataBlob`.
    /// @param _tokenA Listed token of this chain; `_amountA + _reward` must be within its range.
    /// @param _tokenB Token of the destination chain, not zero; otherwise unchecked here.
    /// @param _amountA Base units of `_tokenA`.
    /// @param _expectedAmountB Base units of `_tokenB`, at least 1.
    /// @param _reward Base units of `_tokenA` that the winner gets on top; 20 % of `_amountA` at most.
    /// @param _destChainId Listed destination chain.
    /// @param _auctionDuration Seconds, at least MIN_AUCTION_DURATION; times must fit 32 bits.
    /// @return intentId `(chainId << 64) | sequence`; sequences start at 1 and have no gaps.
    function createIntent(
        address _tokenA,
        address _tokenB,
        uint256 _amountA,
        uint256 _expectedAmountB,
        uint256 _reward,
        uint256 _destChainId,
        uint256 _auctionDuration
    ) external returns (uint256 intentId);

    /// @notice For listed periphery contracts: the caller pays, `user` is the sender.
    /// @dev The periphery has made sure that the user agreed to everything, blob included.
    /// @param user The sender in everything that follows, not zero.
    /// @param _tokenA As in `createIntent`, like all that follow.
    /// @param _tokenB Token of the destination chain.
    /// @param _amountA Base units of `_tokenA`, pulled from the caller.
    /// @param _expectedAmountB Base units of `_tokenB`.
    /// @param _reward Base units of `_tokenA`, pulled from the caller.
    /// @param _destChainId Listed destination chain.
    /// @param _auctionDuration Seconds.
    /// @param encryptedBlob Recovery blob, 16,384 bytes at most, or empty.
    /// @return intentId `(chainId << 64) | sequence`.
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
    ) external returns (uint256 intentId);

    /// @notice Fix fee tier and recipient class, once, before `firmAt`. Anyone may send it.
    /// @param intentId An open intent that isn't anchored.
    /// @param paramsHash The intent's, as the enclave signed it.
    /// @param blobsHashBefore The intent's before this call.
    /// @param feeBps 250 or 700.
    /// @param recipientClass Most recipients: a power of two, 1 to 256.
    /// @param encryptedBlob May be empty only if `IntentCreated` carried a blob; 16,384 bytes at most.
    /// @param signature EIP-712 signature of the `Anchor` by an active enclave key.
    function anchorIntent(
        uint256 intentId,
        bytes32 paramsHash,
        bytes32 blobsHashBefore,
        uint16 feeBps,
        uint16 recipientClass,
        bytes calldata encryptedBlob,
        bytes calldata signature
    ) external;

    /// @notice Put a further recovery blob on chain. From `firmAt` on it is only an event.
    /// @param intentId Any intent, in any phase.
    /// @param paramsHash The intent's.
    /// @param blobsHashBefore The intent's before this call.
    /// @param encryptedBlob 1 to 16,384 bytes.
    /// @param signature EIP-712 signature of the `Append` by an active enclave key.
    function appendBlob(
        uint256 intentId,
        bytes32 paramsHash,
        bytes32 blobsHashBefore,
        bytes calldata encryptedBlob,
        bytes calldata signature
    ) external;

    /// @notice Name recipients without anybody's signature. Only the sender, once, before `firmAt`.
    /// @param intentId The caller's open intent.
    /// @param encryptedBlob 1 to 16,384 bytes.
    function nameRecipients(uint256 intentId, bytes calldata encryptedBlob) external;

    /// @notice Bid for an anchored intent while block time < endTime. Locks stake worth 5 % of the
    ///         escrow and unlocks the previous bidder's; raising one's own bid moves no stake.
    /// @param intentId An open intent.
    /// @param amountB Base units of `tokenB`; at least `expectedAmountB` and above the best bid.
    function placeBid(uint256 intentId, uint256 amountB) external;

    /// @notice Pick an intent up after its auction and become its winner.
    /// @dev The best bidder in `[endTime, endTime + 2W)`, at no less than its bid; anyone with free
    ///      stake in `[endTime + W, endTime + 2W)`, at no less than the best bid minus a discount
    ///      that grows over that window from 0 to 1 %, and no less than `expectedAmountB`. Then the
    ///      best bidder's lock is forfeited.
    /// @param intentId An open intent with a bid.
    /// @param paramsHash The intent's, so that a reorg can't put another under its id.
    /// @param blobsHash The intent's: the blobs that name the recipients the caller relies on.
    /// @param amountB What the caller commits to deliver, in base units of `tokenB`.
    function depositAndPickup(
        uint256 intentId,
        bytes32 paramsHash,
        bytes32 blobsHash,
        uint256 amountB
    ) external;

    /// @notice Ask for the recipients. Only the winner, once, in the second quarter of the
    ///         execution window.
    /// @param intentId The caller's deposited intent, whose recipients weren't revealed.
    function askRecipients(uint256 intentId) external;

    /// @notice Put the sealed recipients on chain, until a quarter of the execution window is left.
    ///         Anyone may send them, once.
    /// @param intentId A deposited intent.
    /// @param sealedRecipients ECIES ciphertext for the winner's sealing key.
    /// @param signatures The quorum's EIP-712 signatures of the `Reveal`, sorted by signer.
    function revealRecipients(
        uint256 intentId,
        bytes calldata sealedRecipients,
        bytes[] calldata signatures
    ) external;

    /// @notice On the destination chain: pay an intent's recipients from the caller's allowance.
    /// @dev Once for each source chain, intent, terms, token, caller and list. Anyone may call it for
    ///      any id: the enclaves judge whether a delivery counts, by the winner and the recipients
    ///      it was given. What the token refuses to move is pulled in one sum and credited. Before
    ///      each transfer some 365,000 gas must be left, of which it gets 300,000.
    /// @param sourceChainId Chain of the intent.
    /// @param intentId The intent, issued by that chain.
    /// @param paramsHash The intent's.
    /// @param tokenB Token to pay with; one that delivers less than asked reverts.
    /// @param recipients 1 to 200 accounts, neither zero nor the bridge.
    /// @param amounts Base units of `tokenB` for each recipient, not zero.
    /// @param deadline Unix seconds, inclusive.
    /// @return chain2IntentId `(chainId << 64) | deliverySequence`.
    function solveIntent(
        uint256 sourceChainId,
        uint256 intentId,
        bytes32 paramsHash,
        address tokenB,
        address[] calldata recipients,
        uint256[] calldata amounts,
        uint256 deadline
    ) external returns (uint256 chain2IntentId);

    /// @notice On the destination chain: pay a recipient what the token refused at the delivery.
    ///         Anyone may.
    /// @param owner The recipient, who gets it.
    /// @param token The token.
    function claimDelivery(address owner, address token) external;

    /// @notice Pay the winner `amountA - fee + reward` and release its lock. Anyone may.
    /// @param settlement What was attested.
    /// @param signatures The quorum's EIP-712 signatures of it, sorted by signer.
    function settleIntent(Settlement calldata settlement, bytes[] calldata signatures) external;

    /// @notice Cancel. Only the sender: until `firmAt` with a bid, at any time without one.
    /// @param intentId The caller's open intent.
    function cancelIntent(uint256 intentId) external;

    /// @notice Refund at once an intent that, the enclaves attest, wasn't delivered. Anyone may.
    /// @param notDelivered What was attested.
    /// @param signatures The quorum's EIP-712 signatures of it, sorted by signer.
    function refundUndelivered(NotDelivered calldata notDelivered, bytes[] calldata signatures)
        external;

    /// @notice Refund an unfulfilled intent to its sender. Anyone may; nothing can stop it.
    /// @dev Expired: open, and `endTime` passed without a bid or both pickup windows passed.
    ///      Failed: deposited, and `fillDeadline + SETTLEMENT_GRACE` passed. The lock is forfeited,
    ///      unless the winner asked for the recipients and didn't get them.
    /// @param intentId An open or deposited intent.
    function refund(uint256 intentId) external;

    /// @notice Take the caller's credit in a token, all of it.
    /// @dev The owner chooses the receiver, so an owner whom the token refuses can name another.
    /// @param token The token.
    /// @param to Who receives it.
    function claim(address token, address to) external;

    /// @notice Send a token's fees to the treasury. Anyone may.
    /// @param token The token.
    function collectFees(address token) external;

    /// @notice Everything known about an intent; all zero if there is none.
    /// @param intentId Any id.
    /// @return The intent.
    function getIntent(uint256 intentId) external view returns (Intent memory);

    /// @notice Id of the latest intent, 0 if there is none.
    /// @dev Another sender may be faster: take your id from your receipt's `IntentCreated`.
    /// @return `(chainId << 64) | sequence`.
    function getLatestIntentId() external view returns (uint256);

    /// @notice The solver that picked an intent up, zero if none has.
    /// @param intentId Any id.
    /// @return The winner.
    function winnerOf(uint256 intentId) external view returns (address);

    /// @notice A solver's sealing key, zero if it has none.
    /// @param solver Any account.
    /// @return x First coordinate of the secp256k1 point.
    /// @return y Second coordinate.
    function sealingKeyOf(address solver) external view returns (uint256 x, uint256 y);

    /// @notice A solver's stake in a token, and how much of it is locked.
    /// @param solver Any account.
    /// @param token Any token.
    /// @return total Base units.
    /// @return locked Base units of it that back bids and deposits.
    function stakeOf(address solver, address token)
        external
        view
        returns (uint256 total, uint256 locked);

    /// @notice The delivery under a key, zero if there is none.
    /// @param key keccak256(abi.encode(sourceChainId, intentId, paramsHash, tokenB, caller,
    ///        keccak256(abi.encode(recipients, amounts)))).
    /// @return sequence Of this chain's deliveries, from 1.
    /// @return solvedAt Block time, Unix seconds.
    function deliveryAt(bytes32 key) external view returns (uint64 sequence, uint64 solvedAt);

    /// @notice What `owner` can claim of a token, in base units.
    /// @param owner The account.
    /// @param token The token.
    /// @return Base units.
    function claimable(address owner, address token) external view returns (uint256);

    /// @notice A recipient's credit on this destination chain, in base units.
    /// @param owner The account.
    /// @param token The token.
    /// @return Base units.
    function claimableDelivery(address owner, address token) external view returns (uint256);

    /// @notice A token's uncollected fees, in base units.
    /// @param token The token.
    /// @return Base units.
    function uncollectedFees(address token) external view returns (uint256);
}
