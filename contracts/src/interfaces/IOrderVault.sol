// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @notice What enclaves sign when an order may be funded. EIP-712 type `FundOrder`, which begins
///         with the order's id. Times are Unix seconds, amounts base units.
struct OrderTerms {
    /// The owner of the tokens, and the user of every tranche's intent.
    address owner;
    /// Token of this chain; listed in the bridge.
    address token;
    uint256 destChainId;
    /// Token of the destination chain.
    address tokenB;
    /// Least amount that each tranche must deliver; base units of tokenB.
    uint256 expectedAmountB;
    /// Pulled from the owner, once.
    uint256 totalAmount;
    /// Escrow of each tranche, including a reward of 5 %.
    uint256 amountPerPeriod;
    /// Seconds.
    uint256 period;
    /// No tranche is fired before it.
    uint256 startTime;
    /// Tranches are fired while block time < endTime.
    uint256 endTime;
    /// The order may be funded while block time < deadline.
    uint256 deadline;
}

/// @notice The argument of `fundOrder`.
struct FundingRequest {
    OrderTerms terms;
    /// Where in the owner's message the 64 hex digits of the order's id begin.
    uint256 digestOffset;
}

/// @notice Everything the vault knows about an order.
struct Order {
    /// Zero if there is no such order.
    address owner;
    address token;
    uint256 destChainId;
    address tokenB;
    uint256 expectedAmountB;
    uint256 amountPerPeriod;
    uint256 period;
    /// The later of `startTime` and the funding.
    uint256 firstAt;
    uint256 endTime;
    /// How many of the owner's tokens are left; 0 once closed.
    uint256 left;
    /// How many tranches have been fired, which is the number of the next one.
    uint256 fired;
    /// When the latest tranche was fired, 0 if none has been.
    uint256 lastFiredAt;
    /// How many signatures of different operators each step needs.
    uint8 quorum;
    bool closed;
}

/// @title Scheduled orders: one deposit, many tranches, and a way out that needs nobody
/// @notice An owner's tokens leave the vault as that order's own intents, by the terms they were
///         funded under, or back to the owner. Nobody, enclaves included, can send them elsewhere.
interface IOrderVault {
    /// @notice An order was funded.
    /// @param orderId keccak256 of `encrypted`; the API's id is `twap-` and its first 128 bits.
    /// @param owner The owner of the tokens.
    /// @param token Token of this chain.
    /// @param destChainId Where tranches are delivered.
    /// @param tokenB Token of that chain.
    /// @param expectedAmountB Least amount that each tranche delivers, in base units of `tokenB`.
    /// @param totalAmount Amount pulled from the owner, in base units of `token`.
    /// @param amountPerPeriod Escrow of each tranche, in base units of `token`.
    /// @param period Seconds.
    /// @param startTime Unix seconds; the first tranche is due then, or at this block's time.
    /// @param endTime Unix seconds, exclusive.
    /// @param quorum Signatures that each step needs.
    /// @param encrypted The order as it was submitted.
    event OrderFunded(
        bytes32 indexed orderId,
        address indexed owner,
        address indexed token,
        uint256 destChainId,
        address tokenB,
        uint256 expectedAmountB,
        uint256 totalAmount,
        uint256 amountPerPeriod,
        uint256 period,
        uint256 startTime,
        uint256 endTime,
        uint8 quorum,
        bytes encrypted
    );

    /// @notice A tranche was fired: the vault created an intent for the owner.
    /// @param orderId The order.
    /// @param n Its number, from 0.
    /// @param intentId The intent, in the bridge.
    event TrancheFired(bytes32 indexed orderId, uint256 n, uint256 indexed intentId);

    /// @notice An order ended, and what was left of it went to its owner.
    /// @param orderId The order.
    /// @param owner Its owner.
    /// @param amount Base units of its token; 0 if nothing was left.
    /// @param reason 0 filled (not enough was left for a tranche), 1 end time, 2 cancelled.
    event OrderClosed(bytes32 indexed orderId, address indexed owner, uint256 amount, uint8 reason);

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

    /// @notice An account that must be set is the zero address.
    error ZeroAddress();
    /// @notice A window of the constructor is zero seconds long.
    error ZeroWindow();
    /// @notice The request was good while block time < deadline.
    error RequestLapsed(uint256 deadline);
    /// @notice The request's deadline is too far ahead.
    error DeadlineTooFar(uint256 deadline, uint256 latest);
    /// @notice This order has already been funded.
    error OrderExists(bytes32 orderId);
    /// @notice There is no such order, or it is closed.
    error OrderNotOpen(bytes32 orderId);
    /// @notice The bridge doesn't accept this token now.
    error TokenNotListed(address token);
    /// @notice The bridge doesn't accept this destination now.
    error DestinationNotListed(uint256 destChainId);
    /// @notice `tokenB` is the zero address.
    error TokenBRequired();
    /// @notice Both ends are accepted.
    error ExpectedAmountOutOfRange(uint256 expectedAmountB, uint256 minimum, uint256 maximum);
    /// @notice The bridge doesn't accept such an escrow; both limits are inclusive.
    error AmountPerPeriodOutOfRange(uint256 amountPerPeriod, uint256 minimum, uint256 maximum);
    /// @notice Both ends are accepted.
    error TotalAmountOutOfRange(uint256 totalAmount, uint256 minimum, uint256 maximum);
    /// @notice Both ends are accepted; seconds.
    error PeriodOutOfRange(uint256 period, uint256 minimum, uint256 maximum);
    /// @notice The end must be after the start and the present, and within 32 bits.
    error EndTimeOutOfRange(uint256 endTime, uint256 startTime, uint256 maximum);
    /// @notice The message doesn't contain the order's id at this offset.
    error DigestNotInMessage(bytes32 orderId, uint256 offset);
    /// @notice The owner didn't sign the message.
    error WrongOwnerSignature(address owner);
    /// @notice The message was used before. Only on test networks, where it needn't name the order.
    error MessageAlreadyUsed(address owner, bytes32 messageHash);
    /// @notice The token delivered less than it was asked to move.
    error TransferShort(address token, uint256 expected, uint256 received);
    /// @notice Tranches are fired in order, each once.
    error WrongTranche(uint256 n, uint256 next);
    /// @notice The tranche isn't due yet.
    error TrancheTooEarly(uint256 n, uint256 dueAt);
    /// @notice The order ended at `endTime`.
    error OrderOver(uint256 endTime);
    /// @notice Not enough is left for a tranche.
    error NothingLeft(uint256 left, uint256 amountPerPeriod);
    /// @notice Until then only the owner, or enclaves' signatures, may close the order.
    error NotClosableYet(address owner, uint256 closableAt);
    /// @notice There is nothing to pay out.
    error NothingOwed(address owner, address token);
    /// @notice Tokens sent there would be lost.
    error InvalidReceiver(address to);
    /// @notice A payment needs at least this much gas left, so that running out of gas can't pass
    ///         for a refused payment.
    error InsufficientGas(uint256 left, uint256 required);

    /// @notice Pull an order's tokens from its owner, once. Anyone may send it.
    /// @param request The terms, and where the owner's message names the order.
    /// @param encrypted The order as it was submitted; its keccak256 is the order's id.
    /// @param message What the owner signed by EIP-191. It contains the hex digits of the id, except
    ///        on test networks of the compile-time list.
    /// @param ownerSignature The owner's: 65 bytes `r ‖ s ‖ v`, or by ERC-1271.
    /// @param signatures The enclaves' over `fundingDigest`, the bridge's quorum for the token.
    /// @return orderId The order.
    function fundOrder(
        FundingRequest calldata request,
        bytes calldata encrypted,
        bytes calldata message,
        bytes calldata ownerSignature,
        bytes[] calldata signatures
    ) external returns (bytes32 orderId);

    /// @notice Fire the next tranche: create an intent for the owner. Anyone may send it.
    /// @param orderId An open order.
    /// @param n The tranche's number, from 0, in order.
    /// @param encryptedBlob The recovery blob that names the tranche's recipients, or empty.
    /// @param signatures The enclaves' over `trancheDigest`.
    /// @return intentId The intent, in the bridge.
    function fireTranche(
        bytes32 orderId,
        uint256 n,
        bytes calldata encryptedBlob,
        bytes[] calldata signatures
    ) external returns (uint256 intentId);

    /// @notice End an order and pay what is left to its owner. The owner may at any time, anyone
    ///         from CLOSE_DELAY after the order's end. No service is needed.
    function closeOrder(bytes32 orderId) external;

    /// @notice The same by anyone at any time, with the enclaves' signatures over `closeDigest`.
    function closeOrderSigned(bytes32 orderId, bytes[] calldata signatures) external;

    /// @notice Take the caller's credit in a token, all of it.
    function claim(address token, address to) external;

    /// @notice Everything known about an order; all zero if there is none.
    function getOrder(bytes32 orderId) external view returns (Order memory);

    /// @notice When the next tranche of an open order is due, Unix seconds; 0 if none is left to fire.
    function nextTrancheAt(bytes32 orderId) external view returns (uint256);

    /// @notice What `owner` can claim of a token, in base units.
    function claimable(address owner, address token) external view returns (uint256);

    /// @notice EIP-712 digest of `FundOrder`.
    function fundingDigest(bytes32 orderId, OrderTerms calldata terms)
        external
        view
        returns (bytes32);

    /// @notice EIP-712 digest of `FireTranche`.
    function trancheDigest(bytes32 orderId, uint256 n, bytes32 blobHash)
        external
        view
        returns (bytes32);

    /// @notice EIP-712 digest of `CloseOrder`.
    function closeDigest(bytes32 orderId) external view returns (bytes32);
}
