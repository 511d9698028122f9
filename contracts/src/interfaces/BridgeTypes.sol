// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What has happened to an intent on its source chain. The last three are final.
enum Phase {
    /// There is no such intent.
    None,
    /// Created; anchored or not, bid for or not.
    Open,
    /// A solver has put down its bond.
    Deposited,
    /// The winner was paid.
    Settled,
    /// The sender took it back.
    Cancelled,
    /// It went back to the sender by the escape path.
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
    /// Unix seconds.
    uint256 endTime;
    Phase phase;
    /// 0 until anchored.
    uint16 feeBps;
    /// Whether IntentCreated carried a recovery blob.
    bool blobAtCreation;
    /// Best bidder until somebody deposits, the winner from then on; zero before the first bid.
    address solver;
    /// Best bid until somebody deposits, the winner's commitment from then on; base units of tokenB.
    uint256 amountB;
    /// Base units of tokenA; 0 until somebody deposits.
    uint256 bond;
    /// Unix seconds; 0 until somebody deposits.
    uint256 fillDeadline;
}

/// @notice What the enclave attests: this winner delivered this intent. EIP-712 type `Settlement`.
struct Settlement {
    uint256 intentId;
    address solver;
    uint256 destChainId;
    uint256 chain2IntentId;
    bytes32 solveTxHash;
    /// Base units of tokenB that reached the recipients.
    uint256 amountB;
    uint16 feeBps;
    /// Unix seconds, inclusive.
    uint256 deadline;
}
