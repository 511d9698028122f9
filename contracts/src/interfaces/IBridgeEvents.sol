// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title BridgeIntentV2's events
/// @notice These events alone are enough to rebuild every token's accounts: open escrow, stakes,
///         credits and uncollected fees are sums over them.
interface IBridgeEvents {
    /// @notice An intent was created and `amountA + reward` of `tokenA` pulled into escrow.
    /// @param intentId `(chainId << 64) | sequence` of the new intent.
    /// @param user The sender: a refund goes to it.
    /// @param destChainId Chain on which the delivery is expected.
    /// @param tokenA Token in escrow, on this chain.
    /// @param tokenB Token to be delivered, on the destination chain.
    /// @param amountA Amount offered, in base units of `tokenA`.
    /// @param expectedAmountB Least amount to be delivered, in base units of `tokenB`.
    /// @param reward What the winner gets on top, in base units of `tokenA`.
    /// @param endTime Unix seconds; bids are taken while block time < endTime.
    /// @param encryptedBlob The recovery blob that came with the call, or empty.
    event IntentCreated(
        uint256 indexed intentId,
        address indexed user,
        uint256 indexed destChainId,
        address tokenA,
        address tokenB,
        uint256 amountA,
        uint256 expectedAmountB,
        uint256 reward,
        uint256 endTime,
        bytes encryptedBlob
    );

    /// @notice An enclave fixed the fee tier and the recipient class; bidding is open from now on.
    /// @param intentId The intent.
    /// @param feeBps 250 (unshielded) or 700 (shielded) hundredths of a percent of `amountA`.
    /// @param recipientClass Most recipients of the delivery: a power of two, 1 to 256.
    /// @param encryptedBlob Recovery blob; empty only if the creation carried one.
    event IntentAnchored(
        uint256 indexed intentId, uint16 feeBps, uint16 recipientClass, bytes encryptedBlob
    );

    /// @notice A further recovery blob. It counts for recipients only before `firmAt`.
    /// @param intentId The intent.
    /// @param kind 3: signed by an enclave. 4: from the sender's own call.
    /// @param encryptedBlob Recovery blob, not empty.
    event BlobAppended(uint256 indexed intentId, uint8 kind, bytes encryptedBlob);

    /// @notice A bid that is now the best. The bidder's stake is locked by the intent's bond.
    /// @param intentId The intent.
    /// @param solver The bidder.
    /// @param amountB What it offers to deliver, in base units of the intent's `tokenB`.
    event BidPlaced(uint256 indexed intentId, address indexed solver, uint256 amountB);

    /// @notice A solver picked the intent up and is its winner.
    /// @param intentId The intent.
    /// @param solver The winner.
    /// @param amountB What it committed to deliver, in base units of `tokenB`.
    /// @param bond 5 % of the escrow, locked of its stake, in base units of `tokenA`.
    /// @param fillDeadline Unix seconds; a delivery is in time if its block time < fillDeadline.
    event SolverDeposited(
        uint256 indexed intentId,
        address indexed solver,
        uint256 amountB,
        uint256 bond,
        uint256 fillDeadline
    );

    /// @notice The winner says that it hasn't received the recipients.
    /// @param intentId The intent.
    /// @param solver The winner.
    event RecipientsAsked(uint256 indexed intentId, address indexed solver);

    /// @notice The recipients, sealed to the winner's sealing key.
    /// @param intentId The intent.
    /// @param sealedRecipients ECIES ciphertext, padded to the recipient class.
    event RecipientsRevealed(uint256 indexed intentId, bytes sealedRecipients);

    /// @notice A solver's key to which recipients are sealed, for good.
    /// @param solver The solver.
    /// @param x First coordinate of the secp256k1 point.
    /// @param y Second coordinate.
    event SealingKeySet(address indexed solver, uint256 x, uint256 y);

    /// @notice On the destination chain: a solver paid the recipients of an intent.
    /// @param chain2IntentId `(this chain's id << 64) | deliverySequence`.
    /// @param sourceChainId Chain of the intent.
    /// @param intentId The intent, as numbered by its source chain.
    /// @param paramsHash The intent's terms, as the solver named them.
    /// @param solver Account that paid.
    /// @param tokenB Token paid, on this chain.
    /// @param amountB Sum paid or credited to all recipients, in base units of `tokenB`.
    event IntentSolved(
        uint256 indexed chain2IntentId,
        uint256 indexed sourceChainId,
        uint256 indexed intentId,
        bytes32 paramsHash,
        address solver,
        address tokenB,
        uint256 amountB
    );

    /// @notice On the destination chain: the bridge holds what the token refused to move.
    /// @param chain2IntentId The delivery.
    /// @param tokenB The token.
    /// @param amount Sum credited to those recipients, in base units.
    event DeliveryCredited(uint256 indexed chain2IntentId, address tokenB, uint256 amount);

    /// @notice On the destination chain: a recipient's credit was paid out to it.
    /// @param owner The recipient.
    /// @param token The token.
    /// @param amount All of its credit, in base units.
    event DeliveryClaimed(address indexed owner, address token, uint256 amount);

    /// @notice A solver forfeited its lock on an intent; all of it goes to `FORFEIT_RECEIVER`.
    /// @param intentId The intent.
    /// @param solver The solver.
    /// @param amount Base units of the intent's `tokenA`.
    event BidForfeited(uint256 indexed intentId, address indexed solver, uint256 amount);

    /// @notice A solver's stake grew.
    /// @param solver The solver.
    /// @param token The token.
    /// @param amount Base units added.
    event StakeAdded(address indexed solver, address indexed token, uint256 amount);

    /// @notice A solver took stake out that wasn't locked.
    /// @param solver The solver.
    /// @param token The token.
    /// @param amount Base units removed.
    event StakeRemoved(address indexed solver, address indexed token, uint256 amount);

    /// @notice An attested delivery was settled.
    /// @param intentId The intent.
    /// @param solver The winner.
    /// @param payout `amountA - fee + reward`, owed to the winner, in base units of `tokenA`.
    /// @param fee `floor(amountA * feeBps / 10000)`, kept for the treasury.
    /// @param chain2IntentId The delivery.
    /// @param attester The first of the enclave keys that signed.
    event IntentSettled(
        uint256 indexed intentId,
        address indexed solver,
        uint256 payout,
        uint256 fee,
        uint256 chain2IntentId,
        address attester
    );

    /// @notice The sender took the intent back.
    /// @param intentId The intent.
    /// @param user The sender, to whom the escrow goes.
    /// @param amount `amountA + reward`, in base units of `tokenA`.
    event IntentCancelled(uint256 indexed intentId, address indexed user, uint256 amount);

    /// @notice The escape path: an intent that nobody fulfilled was refunded to its sender.
    /// @param intentId The intent.
    /// @param user The sender, to whom `amount` goes.
    /// @param amount `amountA + reward`, in base units of `tokenA`.
    /// @param forfeitedBond What the best bidder or winner forfeited, in base units of `tokenA`;
    ///        0 if there was none, or if the winner asked for the recipients and didn't get them.
    /// @param reason 0 expired (nobody took it), 1 failed (the winner did not deliver).
    event IntentRefunded(
        uint256 indexed intentId,
        address indexed user,
        uint256 amount,
        uint256 forfeitedBond,
        uint8 reason
    );

    /// @notice The terms of this deployment, from its constructor.
    /// @param registry The EnclaveKeyRegistry.
    /// @param treasury First treasury.
    /// @param forfeitReceiver Where forfeited locks go. Nobody controls it.
    /// @param minAuctionDuration Shortest auction, in seconds.
    /// @param firmSeconds Most seconds before `endTime` at which recipients become final.
    /// @param pickupWindow Seconds of each of the two pickup windows.
    /// @param executionWindow Seconds from deposit to `fillDeadline`.
    /// @param settlementGrace Seconds from `fillDeadline` until anyone may refund.
    event BridgeDeployed(
        address registry,
        address treasury,
        address forfeitReceiver,
        uint32 minAuctionDuration,
        uint32 firmSeconds,
        uint32 pickupWindow,
        uint32 executionWindow,
        uint32 settlementGrace
    );

    /// @notice A change to a list or the treasury was announced; anyone may enact it from `activeAt` on.
    /// @param changeId keccak256 of the change.
    /// @param change The call of this contract that enacts it, ABI-encoded: `listToken`,
    ///        `listDestination`, `listPeriphery` or `changeTreasury`.
    /// @param activeAt Unix seconds.
    event ChangeAnnounced(bytes32 indexed changeId, bytes change, uint256 activeAt);

    /// @notice An announced change was taken back before it was enacted.
    /// @param changeId The change.
    event ChangeWithdrawn(bytes32 indexed changeId);

    /// @notice A token may be offered in new intents, or its range or quorum for them changed.
    /// @param token The token.
    /// @param minAmount Least escrow (`amountA + reward`), in base units; 10,000 or more.
    /// @param maxAmount Greatest escrow, in base units.
    /// @param quorum Signatures of different operators that its intents need, 1 to 8.
    event TokenListed(address indexed token, uint256 minAmount, uint256 maxAmount, uint8 quorum);

    /// @notice A token may no longer be offered in new intents.
    /// @param token The token.
    event TokenDelisted(address indexed token);

    /// @notice A chain may be the destination of new intents.
    /// @param destChainId The chain.
    event DestinationListed(uint256 indexed destChainId);

    /// @notice A chain may no longer be the destination of new intents.
    /// @param destChainId The chain.
    event DestinationDelisted(uint256 indexed destChainId);

    /// @notice A contract may create intents for users.
    /// @param periphery The contract.
    event PeripheryListed(address indexed periphery);

    /// @notice A contract may no longer create intents for users.
    /// @param periphery The contract.
    event PeripheryDelisted(address indexed periphery);

    /// @notice Fees are collected to another account from now on.
    /// @param previous Former treasury.
    /// @param current New treasury.
    event TreasuryChanged(address indexed previous, address indexed current);

    /// @notice No intent can be created until further notice; open ones are unaffected.
    event CreationPaused();

    /// @notice Intents can be created again.
    event CreationResumed();

    /// @notice A payment could not be pushed and waits for its owner's claim.
    /// @param owner Who may claim it.
    /// @param token The token.
    /// @param amount Amount added, in base units.
    event CreditAdded(address indexed owner, address indexed token, uint256 amount);

    /// @notice An owner claimed all its credit in a token.
    /// @param owner Owner of the credit.
    /// @param token The token.
    /// @param amount Amount claimed, in base units.
    event CreditClaimed(address indexed owner, address indexed token, uint256 amount);

    /// @notice A token's fees were paid to the treasury.
    /// @param token The token.
    /// @param treasury The treasury.
    /// @param amount Amount, in base units.
    event FeesCollected(address indexed token, address indexed treasury, uint256 amount);
}
