// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveQuorum} from "./bridge/EnclaveQuorum.sol";
import {IBridgeIntentV2} from "./interfaces/IBridgeIntentV2.sol";
import {IEnclaveKeyRegistry} from "./interfaces/IEnclaveKeyRegistry.sol";
import {FundingRequest, IOrderVault, Order, OrderTerms} from "./interfaces/IOrderVault.sol";
import {IBridgeListings} from "./vault/IBridgeListings.sol";
import {OwnerConsent} from "./vault/OwnerConsent.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title OrderVault
/// @notice See IOrderVault. It has no owner, no list and no switch: an order's owner decides what
///         happens to it and, within the owner's terms, the enclaves do.
/// @dev A token that blacklists the vault freezes what is left of all orders in that token.
contract OrderVault is OwnerConsent, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    bytes32 private constant FUND_TYPEHASH = keccak256(
        "FundOrder(bytes32 orderId,address owner,address token,uint256 destChainId,address tokenB,uint256 expectedAmountB,uint256 totalAmount,uint256 amountPerPeriod,uint256 period,uint256 startTime,uint256 endTime,uint256 deadline)"
    );
    bytes32 private constant TRANCHE_TYPEHASH =
        keccak256("FireTranche(bytes32 orderId,uint256 n,bytes32 blobHash)");
    bytes32 private constant CLOSE_TYPEHASH = keccak256("CloseOrder(bytes32 orderId)");

    /// @notice Shortest period, in seconds.
    uint256 public constant MIN_PERIOD = 5;
    /// @notice Reward that each tranche pays its solver, in hundredths of a percent.
    uint256 public constant REWARD_BPS = 500;
    uint256 private constant BPS = 10_000;

    uint8 private constant REASON_FILLED = 0;
    uint8 private constant REASON_END_TIME = 1;
    uint8 private constant REASON_CANCELLED = 2;

    /// @notice The bridge in which tranches become intents.
    IBridgeIntentV2 public immutable BRIDGE;
    /// @notice The registry of enclave keys.
    IEnclaveKeyRegistry public immutable REGISTRY;
    /// @notice How far ahead a request's deadline may lie, in seconds.
    uint32 public immutable FUNDING_WINDOW;
    /// @notice Seconds after an order's end from which anyone may close it.
    uint32 public immutable CLOSE_DELAY;

    /// @param bridge The bridge, which has this contract on its periphery list.
    /// @param registry The bridge's registry.
    /// @param fundingWindow Seconds; production: 600.
    /// @param closeDelay Seconds; production: 86,400.
    constructor(
        IBridgeIntentV2 bridge,
        IEnclaveKeyRegistry registry,
        uint32 fundingWindow,
        uint32 closeDelay
    ) EIP712("OrderVault", "1") {
        if (address(bridge) == address(0) || address(registry) == address(0)) {
            revert ZeroAddress();
        }
        if (fundingWindow == 0 || closeDelay == 0) revert ZeroWindow();
        BRIDGE = bridge;
        REGISTRY = registry;
        FUNDING_WINDOW = fundingWindow;
        CLOSE_DELAY = closeDelay;
    }

    /// @inheritdoc IOrderVault
    function fundOrder(
        FundingRequest calldata request,
        bytes calldata encrypted,
        bytes calldata message,
        bytes calldata ownerSignature,
        bytes[] calldata signatures
    ) external nonReentrant returns (bytes32 orderId) {
        OrderTerms calldata terms = request.terms;
        orderId = keccak256(encrypted);
        if (_orders[orderId].stage != Stage.None) revert OrderExists(orderId);
        uint8 quorum = _checkTerms(terms);
        _checkConsent(terms.owner, orderId, request.digestOffset, message, ownerSignature);
        _checkEnclaves(fundingDigest(orderId, terms), signatures, quorum);
        _store(orderId, terms, quorum);
        _announce(orderId, terms, quorum, encrypted);
        _pullFrom(terms.owner, terms.token, terms.totalAmount);
    }

    /// @inheritdoc IOrderVault
    function fireTranche(
        bytes32 orderId,
        uint256 n,
        bytes calldata encryptedBlob,
        bytes[] calldata signatures
    ) external nonReentrant returns (uint256 intentId) {
        Record storage order = _open(orderId);
        _checkDue(order, n);
        bytes32 digest = trancheDigest(orderId, n, keccak256(encryptedBlob));
        _checkEnclaves(digest, signatures, order.quorum);
        order.left -= order.amountPerPeriod;
        ++order.fired;
        order.lastFiredAt = uint32(block.timestamp);
        intentId = _createIntent(order, encryptedBlob);
        emit TrancheFired(orderId, n, intentId);
    }

    /// @inheritdoc IOrderVault
    function closeOrder(bytes32 orderId) external nonReentrant {
        Record storage order = _open(orderId);
        uint256 closableAt = uint256(order.endTime) + CLOSE_DELAY;
        if (msg.sender != order.owner && block.timestamp < closableAt) {
            revert NotClosableYet(order.owner, closableAt);
        }
        _close(orderId, order);
    }

    /// @inheritdoc IOrderVault
    function closeOrderSigned(bytes32 orderId, bytes[] calldata signatures) external nonReentrant {
        Record storage order = _open(orderId);
        _checkEnclaves(closeDigest(orderId), signatures, order.quorum);
        _close(orderId, order);
    }

    /// @inheritdoc IOrderVault
    function claim(address token, address to) external nonReentrant {
        _claim(token, to);
    }

    /// @inheritdoc IOrderVault
    function getOrder(bytes32 orderId) external view returns (Order memory) {
        Record memory order = _orders[orderId];
        return Order({
            owner: order.owner,
            token: order.token,
            destChainId: order.destChainId,
            tokenB: order.tokenB,
            expectedAmountB: order.expectedAmountB,
            amountPerPeriod: order.amountPerPeriod,
            period: order.period,
            firstAt: order.firstAt,
            endTime: order.endTime,
            left: order.left,
            fired: order.fired,
            lastFiredAt: order.lastFiredAt,
            quorum: order.quorum,
            closed: order.stage == Stage.Closed
        });
    }

    /// @inheritdoc IOrderVault
    function nextTrancheAt(bytes32 orderId) external view returns (uint256) {
        Record storage order = _orders[orderId];
        if (order.stage != Stage.Open || order.left < order.amountPerPeriod) return 0;
        uint256 dueAt = _dueAt(order);
        return dueAt < order.endTime ? dueAt : 0;
    }

    /// @inheritdoc IOrderVault
    function fundingDigest(bytes32 orderId, OrderTerms calldata terms)
        public
        view
        returns (bytes32)
    {
        // Every member has 32 bytes, so a nested struct is encoded as its members would be.
        return _hashTypedDataV4(keccak256(abi.encode(FUND_TYPEHASH, orderId, terms)));
    }

    /// @inheritdoc IOrderVault
    function trancheDigest(bytes32 orderId, uint256 n, bytes32 blobHash)
        public
        view
        returns (bytes32)
    {
        return _hashTypedDataV4(keccak256(abi.encode(TRANCHE_TYPEHASH, orderId, n, blobHash)));
    }

    /// @inheritdoc IOrderVault
    function closeDigest(bytes32 orderId) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(CLOSE_TYPEHASH, orderId)));
    }

    /// @dev Reverts unless the bridge would accept such tranches now. Returns the token's quorum.
    function _checkTerms(OrderTerms calldata terms) private view returns (uint8) {
        _checkTimes(terms);
        IBridgeListings listings = IBridgeListings(address(BRIDGE));
        (bool listed, uint256 least, uint256 greatest, uint8 quorum) =
            listings.tokenListing(terms.token);
        if (!listed) revert TokenNotListed(terms.token);
        if (!listings.isDestinationListed(terms.destChainId)) {
            revert DestinationNotListed(terms.destChainId);
        }
        uint256 each = terms.amountPerPeriod;
        if (each < least || each > greatest) {
            revert AmountPerPeriodOutOfRange(each, least, greatest);
        }
        if (terms.totalAmount < each || terms.totalAmount > type(uint96).max) {
            revert TotalAmountOutOfRange(terms.totalAmount, each, type(uint96).max);
        }
        if (terms.tokenB == address(0)) revert TokenBRequired();
        if (terms.expectedAmountB == 0 || terms.expectedAmountB > type(uint96).max) {
            revert ExpectedAmountOutOfRange(terms.expectedAmountB, 1, type(uint96).max);
        }
        return quorum;
    }

    function _checkTimes(OrderTerms calldata terms) private view {
        if (block.timestamp >= terms.deadline) revert RequestLapsed(terms.deadline);
        uint256 latest = block.timestamp + FUNDING_WINDOW;
        if (terms.deadline > latest) revert DeadlineTooFar(terms.deadline, latest);
        if (terms.period < MIN_PERIOD || terms.period > type(uint32).max) {
            revert PeriodOutOfRange(terms.period, MIN_PERIOD, type(uint32).max);
        }
        uint256 end = terms.endTime;
        if (end <= terms.startTime || end <= block.timestamp || end > type(uint32).max) {
            revert EndTimeOutOfRange(end, terms.startTime, type(uint32).max);
        }
    }

    function _checkEnclaves(bytes32 digest, bytes[] calldata signatures, uint256 quorum)
        private
        view
    {
        EnclaveQuorum.check(REGISTRY, digest, signatures, quorum, block.timestamp);
    }

    /// @dev `_checkTerms` has checked that all of it fits; a listed chain's id has at most 53 bits.
    function _store(bytes32 orderId, OrderTerms calldata terms, uint8 quorum) private {
        uint256 firstAt = terms.startTime > block.timestamp ? terms.startTime : block.timestamp;
        _orders[orderId] = Record({
            left: uint96(terms.totalAmount),
            fired: 0,
            lastFiredAt: 0,
            // Before the end, which has 32 bits.
            // forge-lint: disable-next-line(unsafe-typecast)
            firstAt: uint32(firstAt),
            endTime: uint32(terms.endTime),
            quorum: quorum,
            stage: Stage.Open,
            owner: terms.owner,
            amountPerPeriod: uint96(terms.amountPerPeriod),
            token: terms.token,
            period: uint32(terms.period),
            destChainId: uint64(terms.destChainId),
            tokenB: terms.tokenB,
            expectedAmountB: uint96(terms.expectedAmountB)
        });
    }

    function _announce(
        bytes32 orderId,
        OrderTerms calldata terms,
        uint8 quorum,
        bytes calldata encrypted
    ) private {
        emit OrderFunded(
            orderId,
            terms.owner,
            terms.token,
            terms.destChainId,
            terms.tokenB,
            terms.expectedAmountB,
            terms.totalAmount,
            terms.amountPerPeriod,
            terms.period,
            terms.startTime,
            terms.endTime,
            quorum,
            encrypted
        );
    }

    function _open(bytes32 orderId) private view returns (Record storage order) {
        order = _orders[orderId];
        if (order.stage != Stage.Open) revert OrderNotOpen(orderId);
    }

    /// @dev Reverts unless `n` is the next tranche, is due, and can be paid for.
    function _checkDue(Record storage order, uint256 n) private view {
        if (n != order.fired) revert WrongTranche(n, order.fired);
        uint256 dueAt = _dueAt(order);
        if (block.timestamp < dueAt) revert TrancheTooEarly(n, dueAt);
        if (block.timestamp >= order.endTime) revert OrderOver(order.endTime);
        if (order.left < order.amountPerPeriod) {
            revert NothingLeft(order.left, order.amountPerPeriod);
        }
    }

    /// @dev The next tranche's scheduled time, and at least half a period after the previous one.
    function _dueAt(Record storage order) private view returns (uint256) {
        uint256 period = order.period;
        uint256 scheduled = order.firstAt + order.fired * period;
        if (order.fired == 0) return scheduled;
        uint256 apart = order.lastFiredAt + (period + 1) / 2;
        return apart > scheduled ? apart : scheduled;
    }

    /// @dev The allowance is for this tranche only: the token itself stops the bridge taking more.
    function _createIntent(Record storage order, bytes calldata encryptedBlob)
        private
        returns (uint256)
    {
        uint256 reward = uint256(order.amountPerPeriod) * REWARD_BPS / BPS;
        IERC20(order.token).forceApprove(address(BRIDGE), order.amountPerPeriod);
        return BRIDGE.createIntentFor(
            order.owner,
            order.token,
            order.tokenB,
            order.amountPerPeriod - reward,
            order.expectedAmountB,
            reward,
            order.destChainId,
            _auctionDuration(order.period),
            encryptedBlob
        );
    }

    function _auctionDuration(uint256 period) private view returns (uint256) {
        uint256 least = IBridgeListings(address(BRIDGE)).MIN_AUCTION_DURATION();
        return period / 2 > least ? period / 2 : least;
    }

    function _close(bytes32 orderId, Record storage order) private {
        uint256 left = order.left;
        uint8 reason = _reason(order);
        order.left = 0;
        order.stage = Stage.Closed;
        emit OrderClosed(orderId, order.owner, left, reason);
        if (left > 0) _push(order.token, order.owner, left);
    }

    function _reason(Record storage order) private view returns (uint8) {
        if (order.left < order.amountPerPeriod) return REASON_FILLED;
        return block.timestamp < order.endTime ? REASON_CANCELLED : REASON_END_TIME;
    }
}
