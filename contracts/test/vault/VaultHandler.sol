// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {OrderVault} from "../../src/OrderVault.sol";
import {DevnetUsdc} from "../../src/devnet/DevnetUsdc.sol";
import {Phase} from "../../src/interfaces/BridgeTypes.sol";
import {FundingRequest, Order, OrderTerms} from "../../src/interfaces/IOrderVault.sol";
import {CommonBase} from "forge-std/Base.sol";
import {StdUtils} from "forge-std/StdUtils.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice What the handler needs from the fixture: keys and the shape of signatures.
interface IVaultSigning {
    function consentOf(uint256 who, bytes32 orderId) external returns (bytes memory, bytes memory);
    function signaturesFor(uint256 quorum, bytes32 digest) external returns (bytes[] memory);
    function ownerAt(uint256 who) external view returns (address);
}

/// @notice Owners, enclaves and strangers do whatever they can, in any order and at any time. It
///         records what must have happened; the invariants compare that with the contracts.
contract VaultHandler is CommonBase, StdUtils {
    uint256 public constant OWNERS = 3;

    OrderVault public immutable VAULT;
    BridgeIntentV2 public immutable BRIDGE;
    IVaultSigning private immutable SIGNING;
    address public immutable ADVERSARY = address(0xBAD);
    address private immutable TOKEN_B = address(0xB0B);

    DevnetUsdc[2] public tokens;
    uint256[2] public quorums = [uint256(1), 2];

    bytes32[] public orders;
    mapping(bytes32 order => uint256) public total;
    mapping(bytes32 order => uint256) public fired;
    mapping(bytes32 order => uint256) public returned;
    mapping(bytes32 order => uint256) public lastAt;
    mapping(bytes32 order => mapping(uint256 n => uint256)) public intentOf;
    mapping(uint256 intentId => bytes32) public orderOf;
    mapping(address token => uint256) public donated;
    mapping(address token => uint256) public claimed;
    uint256[] public intents;
    uint256 public closes;
    uint256 public claims;
    string public wrong;

    constructor(
        OrderVault vault,
        BridgeIntentV2 bridge,
        IVaultSigning signing,
        DevnetUsdc[2] memory t
    ) {
        VAULT = vault;
        BRIDGE = bridge;
        SIGNING = signing;
        tokens = t;
    }

    function count() external view returns (uint256) {
        return orders.length;
    }

    function fund(uint256 seed, uint256 period, uint256 each, uint256 totalSeed) external {
        uint256 who = seed % OWNERS;
        uint256 which = (seed >> 8) % 2;
        each = bound(each, 10_000, 1e9);
        OrderTerms memory terms = OrderTerms({
            owner: SIGNING.ownerAt(who),
            token: address(tokens[which]),
            destChainId: 26_514,
            tokenB: TOKEN_B,
            expectedAmountB: 1,
            totalAmount: bound(totalSeed, each, each * 5),
            amountPerPeriod: each,
            period: bound(period, 5, 5_000),
            startTime: block.timestamp + (seed >> 16) % 100,
            endTime: block.timestamp + 5_000 + (seed >> 32) % 50_000,
            deadline: block.timestamp + 600
        });
        bytes memory encrypted = abi.encode("order", orders.length);
        bytes32 orderId = keccak256(encrypted);
        bool reused = (seed >> 240) % 8 == 0 && orders.length > 0;
        if (reused) encrypted = abi.encode("order", orders.length - 1);
        orderId = keccak256(encrypted);
        (bytes memory message, bytes memory consent) = SIGNING.consentOf(who, orderId);
        bytes[] memory signatures =
            SIGNING.signaturesFor(quorums[which], VAULT.fundingDigest(orderId, terms));
        vm.prank(ADVERSARY);
        try VAULT.fundOrder(FundingRequest(terms, 11), encrypted, message, consent, signatures) {
            if (reused) wrong = "funded twice";
            orders.push(orderId);
            total[orderId] = terms.totalAmount;
        } catch {}
    }

    function fire(uint256 seed, uint256 n) external {
        if (orders.length == 0) return;
        // Mostly of the latest ones: the others are over.
        uint256 among = seed % 4 == 0 || orders.length < 5 ? orders.length : 5;
        bytes32 orderId = orders[orders.length - 1 - (seed >> 2) % among];
        Order memory order = VAULT.getOrder(orderId);
        if (n % 4 != 0) n = order.fired;
        else n = n % 8;
        bytes memory blob = abi.encode(seed);
        bytes32 digest = VAULT.trancheDigest(orderId, n, keccak256(blob));
        bytes[] memory signatures = SIGNING.signaturesFor(order.quorum, digest);
        vm.prank(ADVERSARY);
        try VAULT.fireTranche(orderId, n, blob, signatures) returns (uint256 intentId) {
            book(orderId, order, n, intentId);
        } catch {}
    }

    function book(bytes32 orderId, Order memory order, uint256 n, uint256 intentId) private {
        if (order.closed) wrong = "fired when closed";
        if (intentOf[orderId][n] != 0) wrong = "fired twice";
        if (n != fired[orderId]) wrong = "out of order";
        if (block.timestamp >= order.endTime) wrong = "fired after the end";
        if (block.timestamp < order.firstAt + n * order.period) wrong = "fired early";
        if (n > 0 && 2 * (block.timestamp - lastAt[orderId]) < order.period) wrong = "a burst";
        intentOf[orderId][n] = intentId;
        orderOf[intentId] = orderId;
        lastAt[orderId] = block.timestamp;
        ++fired[orderId];
        intents.push(intentId);
    }

    function fireUnsigned(uint256 seed) external {
        if (orders.length == 0) return;
        bytes32 orderId = orders[seed % orders.length];
        uint256 n = fired[orderId];
        bytes[] memory signatures = SIGNING.signaturesFor(1, keccak256(abi.encode(seed)));
        vm.prank(SIGNING.ownerAt(seed % OWNERS));
        try VAULT.fireTranche(orderId, n, "", signatures) {
            wrong = "fired unsigned";
        } catch {}
    }

    function close(uint256 seed, uint256 how) external {
        if (orders.length == 0) return;
        bytes32 orderId = orders[seed % orders.length];
        Order memory order = VAULT.getOrder(orderId);
        how = how % 3;
        address by = how == 0 ? order.owner : ADVERSARY;
        vm.startPrank(by);
        if (how == 2) {
            vm.stopPrank();
            bytes[] memory signatures =
                SIGNING.signaturesFor(order.quorum, VAULT.closeDigest(orderId));
            vm.prank(ADVERSARY);
            try VAULT.closeOrderSigned(orderId, signatures) {
                bookClose(orderId, order);
            } catch {}
            return;
        }
        try VAULT.closeOrder(orderId) {
            bookClose(orderId, order);
            bool late = block.timestamp >= order.endTime + VAULT.CLOSE_DELAY();
            if (by != order.owner && !late) wrong = "closed by a stranger";
        } catch {
            if (by == order.owner && !order.closed) wrong = "the owner can't close";
        }
        vm.stopPrank();
    }

    function bookClose(bytes32 orderId, Order memory order) private {
        if (order.closed) wrong = "closed twice";
        returned[orderId] = order.left;
        ++closes;
    }

    function claim(uint256 seed) external {
        address token = address(tokens[seed % 2]);
        address owner = SIGNING.ownerAt((seed >> 8) % OWNERS);
        uint256 owed = VAULT.claimable(owner, token);
        vm.prank(owner);
        try VAULT.claim(token, owner) {
            claimed[token] += owed;
            ++claims;
        } catch {}
        vm.prank(ADVERSARY);
        try VAULT.claim(token, ADVERSARY) {
            wrong = "claimed by a stranger";
        } catch {}
    }

    function endIntent(uint256 seed) external {
        if (intents.length == 0) return;
        uint256 id = intents[seed % intents.length];
        address sender = BRIDGE.getIntent(id).sender;
        vm.prank(sender);
        try BRIDGE.cancelIntent(id) {} catch {}
        try BRIDGE.refund(id) {} catch {}
    }

    function blacklist(uint256 seed, bool on) external {
        address owner = SIGNING.ownerAt(seed % OWNERS);
        if (on) tokens[(seed >> 8) % 2].blacklist(owner);
        else tokens[(seed >> 8) % 2].unBlacklist(owner);
    }

    function donate(uint256 seed, uint256 amount) external {
        DevnetUsdc token = tokens[seed % 2];
        amount = bound(amount, 1, 1e9);
        token.mint(address(VAULT), amount);
        donated[address(token)] += amount;
    }

    function wait(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, time % 8 == 0 ? 60_000 : 2_000));
    }

    function intentCount() external view returns (uint256) {
        return intents.length;
    }

    /// @dev Whether a tranche's intent is still in escrow.
    function isOpen(uint256 intentId) public view returns (bool) {
        return BRIDGE.getIntent(intentId).phase == Phase.Open;
    }
}
