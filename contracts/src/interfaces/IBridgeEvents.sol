// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title What BridgeIntentV2 says about itself
/// @notice The escrow of every token can be rebuilt from these events alone:
///         open escrow, bonds, credits and uncollected fees are sums over them.
interface IBridgeEvents {
    /// @notice An intent was created and `amountA + reward` of `tokenA` pulled from `user`.
    /// @param intentId `(chainId << 64) | sequence` of the new intent.
    /// @param user Account whose tokens are in escrow and to whom a refund goes.
    /// @param destChainId Chain on which the delivery is expected.
    /// @param tokenA Token in escrow, on this chain.
    /// @param tokenB Token to be delivered, on the destination chain.
    /// @param amountA Amount offered, in base units of `tokenA`.
    /// @param expectedAmountB Least amount to be delivered, in base units of `tokenB`.
    /// @param reward What the winner gets on top, in base units of `tokenA`.
    /// @param endTime Unix seconds; bids are taken while block time < endTime.
    /// @param encryptedBlob The 512-byte recovery blob from trailing calldata, or empty.
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

    /// @notice The relayer fixed the intent's fee; bids may come from now on.
    /// @param intentId The intent.
    /// @param feeBps 250 (unshielded) or 700 (shielded) hundredths of a percent of `amountA`.
    /// @param encryptedBlob Recovery blob; empty only if the creation carried one.
    event IntentAnchored(uint256 indexed intentId, uint16 feeBps, bytes encryptedBlob);

    /// @notice The relayer put a further recovery blob on chain.
    /// @param intentId The intent.
    /// @param encryptedBlob Recovery blob, not empty.
    event BlobAppended(uint256 indexed intentId, bytes encryptedBlob);

    /// @notice A bid that is now the best.
    /// @param intentId The intent.
    /// @param solver The bidder.
    /// @param amountB What it offers to deliver, in base units of the intent's `tokenB`.
    event BidPlaced(uint256 indexed intentId, address indexed solver, uint256 amountB);

    /// @notice A solver put down its bond and is the intent's winner.
    /// @param intentId The intent.
    /// @param solver The winner.
    /// @param amountB What it committed to deliver, in base units of `tokenB`.
    /// @param bond 5 % of `amountA`, in base units of `tokenA`.
    /// @param fillDeadline Unix seconds; a delivery is in time if its block time < fillDeadline.
    event SolverDeposited(
        uint256 indexed intentId,
        address indexed solver,
        uint256 amountB,
        uint256 bond,
        uint256 fillDeadline
    );

    /// @notice On the destination chain: a solver paid the recipients of an intent.
    /// @param chain2IntentId `(this chain's id << 64) | deliverySequence`.
    /// @param sourceChainId Chain of the intent.
    /// @param intentId The intent, as numbered by its source chain.
    /// @param solver Account that paid.
    /// @param tokenB Token paid, on this chain.
    /// @param amountB Sum paid to all recipients, in base units of `tokenB`.
    event IntentSolved(
        uint256 indexed chain2IntentId,
        uint256 indexed sourceChainId,
        uint256 indexed intentId,
        address solver,
        address tokenB,
        uint256 amountB
    );

    /// @notice An attested delivery was settled.
    /// @param intentId The intent.
    /// @param solver The winner.
    /// @param payout `amountA - fee + reward + bond`, owed to the winner, in base units of `tokenA`.
    /// @param fee `floor(amountA * feeBps / 10000)`, kept for the treasury.
    /// @param chain2IntentId Delivery that the attestation names.
    /// @param solveTxHash Destination transaction that the attestation names.
    /// @param attester Enclave key that signed.
    event IntentSettled(
        uint256 indexed intentId,
        address indexed solver,
        uint256 payout,
        uint256 fee,
        uint256 chain2IntentId,
        bytes32 solveTxHash,
        address attester
    );

    /// @notice The sender took the intent back before any bid.
    /// @param intentId The intent.
    /// @param user The sender, to whom the escrow goes.
    /// @param amount `amountA + reward`, in base units of `tokenA`.
    event IntentCancelled(uint256 indexed intentId, address indexed user, uint256 amount);

    /// @notice The escape path: an intent nobody fulfilled went back to its sender.
    /// @param intentId The intent.
    /// @param user The sender, to whom `amount + slashedBond` goes.
    /// @param amount `amountA + reward`, in base units of `tokenA`; the bond is not in it.
    /// @param slashedBond The winner's bond, in base units of `tokenA`; 0 if nobody had deposited.
    /// @param reason 0 expired (nobody took it), 1 failed (the winner did not deliver).
    event IntentRefunded(
        uint256 indexed intentId,
        address indexed user,
        uint256 amount,
        uint256 slashedBond,
        uint8 reason
    );

    /// @notice The terms of this deployment, from its constructor.
    /// @param relayer First relayer.
    /// @param treasury First treasury.
    /// @param pickupWindow Seconds of each of the two pickup windows.
    /// @param executionWindow Seconds from deposit to `fillDeadline`.
    /// @param settlementGrace Seconds from `fillDeadline` to the refund.
    event BridgeDeployed(
        address relayer,
        address treasury,
        uint32 pickupWindow,
        uint32 executionWindow,
        uint32 settlementGrace
    );

    /// @notice A token may be offered in new intents, or its range changed.
    /// @param token The token.
    /// @param minAmount Least `amountA`, in base units.
    /// @param maxAmount Greatest `amountA`, in base units.
    event TokenListed(address indexed token, uint256 minAmount, uint256 maxAmount);

    /// @notice A token may no longer be offered in new intents.
    /// @param token The token.
    event TokenDelisted(address indexed token);

    /// @notice A chain may be the destination of new intents.
    /// @param destChainId The chain.
    event DestinationListed(uint256 indexed destChainId);

    /// @notice A chain may no longer be the destination of new intents.
    /// @param destChainId The chain.
    event DestinationDelisted(uint256 indexed destChainId);

    /// @notice The relayer role moved.
    /// @param previous Former relayer.
    /// @param current New relayer.
    event RelayerRotated(address indexed previous, address indexed current);

    /// @notice Fees are collected to another account from now on.
    /// @param previous Former treasury.
    /// @param current New treasury.
    event TreasuryChanged(address indexed previous, address indexed current);

    /// @notice No intent can be created until further notice; open ones go on.
    event CreationPaused();

    /// @notice Intents can be created again.
    event CreationResumed();

    /// @notice A payment could not be pushed and waits for its owner's claim.
    /// @param owner Who may claim it.
    /// @param token The token.
    /// @param amount Amount added, in base units.
    event CreditAdded(address indexed owner, address indexed token, uint256 amount);

    /// @notice An owner claimed all its credit in a token.
    /// @param owner Whose credit it was.
    /// @param token The token.
    /// @param amount Amount claimed, in base units.
    event CreditClaimed(address indexed owner, address indexed token, uint256 amount);

    /// @notice The fees of a token went to the treasury.
    /// @param token The token.
    /// @param treasury Who got them.
    /// @param amount Amount, in base units.
    event FeesCollected(address indexed token, address indexed treasury, uint256 amount);
}
