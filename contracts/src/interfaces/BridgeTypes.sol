// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @notice What has happened to an intent on its source chain. The last three are final.
enum Phase {
    /// There is no such intent.
    None,
    /// Created; anchored or not, bid for or not.
    Open,
    /// A solver has picked the intent up and is its winner.
    Deposited,
    /// The winner was paid.
    Settled,
    /// The sender took it back.
    Cancelled,
    /// It was refunded to the sender.
    Refunded
}

/// @notice Everything the contract knows about an intent.
struct Intent {
    /// Account whose tokens are in escrow.
    address sender;
    /// Token in escrow.
    address tokenA;
    /// Token to be delivered on the destination chain.
    address tokenB;
    /// Base units of tokenA.
    uint256 amountA;
    /// Base units of tokenB.
    uint256 expectedAmountB;
    /// Base units of tokenA.
    uint256 reward;
    uint256 destChainId;
    /// Seconds, as the sender asked for.
    uint256 auctionDuration;
    /// Unix seconds; bids are taken while block time < endTime.
    uint256 endTime;
    /// Unix seconds; recipients are final from then on.
    uint256 firmAt;
    Phase phase;
    /// 250 or 700; 0 until anchored.
    uint16 feeBps;
    /// Most recipients of the delivery, a power of two up to 256; 0 until anchored.
    uint16 recipientClass;
    /// Signatures that a reveal, a settlement or a NotDelivered needs.
    uint8 quorum;
    /// Whether IntentCreated carried a recovery blob.
    bool blobAtCreation;
    /// Whether the sender has named recipients by its own call.
    bool named;
    /// Whether the winner has asked for the recipients on chain.
    bool asked;
    /// Whether the recipients were revealed on chain.
    bool revealed;
    /// Best bidder until somebody deposits, the winner from then on; zero before the first bid.
    address solver;
    /// Best bid until somebody deposits, the winner's commitment from then on; base units of tokenB.
    uint256 amountB;
    /// Base units of tokenA that the best bidder or winner has locked of its stake; 0 before the
    /// first bid and when the intent has ended.
    uint256 bond;
    /// Unix seconds; 0 until somebody deposits. A delivery counts while block time < fillDeadline.
    uint256 fillDeadline;
    /// Commitment to every blob on chain before firmAt; zero while there is none.
    bytes32 blobsHash;
    /// keccak256(abi.encode(chainId, bridge, user, the seven arguments of createIntent)).
    bytes32 paramsHash;
}

/// @notice What an enclave signs to anchor an intent. EIP-712 type of the same name.
struct Anchor {
    uint256 intentId;
    bytes32 paramsHash;
    bytes32 blobsHashBefore;
    /// 250 or 700.
    uint16 feeBps;
    /// A power of two, 1 to 256.
    uint16 recipientClass;
    /// keccak256 of the encrypted blob, even if it is empty.
    bytes32 blobHash;
}

/// @notice What an enclave signs to append a blob.
struct Append {
    uint256 intentId;
    bytes32 paramsHash;
    bytes32 blobsHashBefore;
    bytes32 blobHash;
}

/// @notice What enclaves sign to reveal a winner's recipients to it on chain.
struct Reveal {
    uint256 intentId;
    bytes32 paramsHash;
    bytes32 blobsHash;
    address solver;
    /// The winner's commitment, base units of tokenB.
    uint256 amountB;
    /// keccak256 of the sealed recipients.
    bytes32 sealedHash;
}

/// @notice What enclaves sign when the winner has delivered.
struct Settlement {
    uint256 intentId;
    bytes32 paramsHash;
    bytes32 blobsHash;
    address solver;
    /// The winner's commitment, which is what reached the recipients; base units of tokenB.
    uint256 amountB;
    uint256 chain2IntentId;
}

/// @notice What enclaves sign when no delivery happened by `fillDeadline`.
struct NotDelivered {
    uint256 intentId;
    bytes32 paramsHash;
    bytes32 blobsHash;
    address solver;
    uint256 amountB;
    /// Unix seconds.
    uint256 fillDeadline;
}

/// @notice The windows and delays of a deployment, in seconds, each at least 1.
struct Windows {
    /// Shortest auction. Production: 20; 120 with 12 s blocks.
    uint32 minAuctionDuration;
    /// Most seconds before `endTime` at which recipients become final. 30; 60 with 12 s blocks.
    uint32 firmSeconds;
    /// Each of the two windows for the deposit. 60.
    uint32 pickupWindow;
    /// From the deposit to `fillDeadline`. 3,600.
    uint32 executionWindow;
    /// From `fillDeadline` until anyone may refund. 259,200.
    uint32 settlementGrace;
    /// From a change's announcement to its effect. 172,800.
    uint32 announcementDelay;
}

/// @notice A token that may be offered from the start.
struct TokenListing {
    address token;
    /// Least `amountA + reward`, base units, at least 10,000.
    uint256 minEscrow;
    /// Greatest `amountA + reward`, base units.
    uint256 maxEscrow;
    /// Signatures of different operators that its intents need, 1 to 8.
    uint8 quorum;
}
