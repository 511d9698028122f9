// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Phase} from "../../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../../src/interfaces/IBridgeEvents.sol";
import {IOrderVault, Order, OrderTerms} from "../../src/interfaces/IOrderVault.sol";
import {VaultFixture} from "../support/VaultFixture.sol";

contract TranchesTest is VaultFixture {
    bytes32 internal order;
    uint256 internal start;

    function setUp() public override {
        super.setUp();
        order = funded();
        start = block.timestamp;
    }

    function expectFiringToFail(uint256 n, bytes memory reason) internal {
        bytes[] memory signatures = quorumOf(1, vault.trancheDigest(order, n, keccak256(hex"01aa")));
        vm.expectRevert(reason);
        vault.fireTranche(order, n, hex"01aa", signatures);
    }

    function wrongTranche(uint256 n, uint256 next) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IOrderVault.WrongTranche.selector, n, next);
    }

    function tooEarly(uint256 n, uint256 dueAt) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IOrderVault.TrancheTooEarly.selector, n, dueAt);
    }

    function test_aTrancheIsAnIntentOfTheOwner() public {
        uint256 reward = EACH * 5 / 100;
        uint256 expectedId = (MAINNET << 64) | 1;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentCreated(
            expectedId,
            owner.addr,
            DEST,
            address(usdc),
            tokenB,
            EACH - reward,
            EXPECTED,
            reward,
            block.timestamp + PERIOD / 2,
            hex"01aabb"
        );
        vm.expectEmit(address(vault));
        emit IOrderVault.TrancheFired(order, 0, expectedId);
        assertEq(fire(order, 0, hex"01aabb"), expectedId);
        assertEq(balance(address(usdc), address(bridge)), EACH);
        assertEq(balance(address(usdc), address(vault)), TOTAL - EACH);
        assertEq(usdc.allowance(address(vault), address(bridge)), 0);
        Order memory now_ = vault.getOrder(order);
        assertEq(now_.left, TOTAL - EACH);
        assertEq(now_.fired, 1);
        assertEq(now_.lastFiredAt, block.timestamp);
        Intent memory intent = bridge.getIntent(expectedId);
        assertEq(intent.sender, owner.addr);
        assertEq(intent.amountA + intent.reward, EACH);
        assertEq(intent.auctionDuration, PERIOD / 2);
    }

    function test_shortPeriodsGetTheBridgesShortestAuction() public {
        OrderTerms memory given = terms();
        (given.period, given.endTime) = (39, block.timestamp + 100);
        bytes32 short = fundOrder(given, "short", owner);
        assertEq(bridge.getIntent(fire(short, 0)).auctionDuration, MIN_AUCTION);
        given.period = 42;
        bytes32 longer = fundOrder(given, "longer", owner);
        assertEq(bridge.getIntent(fire(longer, 0)).auctionDuration, 21);
    }

    function test_eachTrancheOnceAndInOrder() public {
        expectFiringToFail(1, wrongTranche(1, 0));
        fire(order, 0);
        expectFiringToFail(0, wrongTranche(0, 1));
        vm.warp(start + 2 * PERIOD);
        expectFiringToFail(2, wrongTranche(2, 1));
        fire(order, 1);
        expectFiringToFail(0, wrongTranche(0, 2));
        expectFiringToFail(1, wrongTranche(1, 2));
    }

    function test_tranchesWaitForTheirPeriod() public {
        for (uint256 n = 0; n < 4; ++n) {
            uint256 dueAt = start + n * PERIOD;
            assertEq(vault.nextTrancheAt(order), dueAt);
            if (n > 0) {
                vm.warp(dueAt - 1);
                expectFiringToFail(n, tooEarly(n, dueAt));
            }
            vm.warp(dueAt);
            fire(order, n);
        }
        assertEq(vault.nextTrancheAt(order), 0);
    }

    function test_tranchesWaitForTheStart() public {
        OrderTerms memory given = terms();
        given.startTime = start + 1_000;
        order = fundOrder(given, "later", owner);
        assertEq(vault.nextTrancheAt(order), start + 1_000);
        vm.warp(start + 999);
        expectFiringToFail(0, tooEarly(0, start + 1_000));
        vm.warp(start + 1_000);
        fire(order, 0);
    }

    /// @dev The service was down for three periods: what is due comes half a period apart.
    function test_attack_aBurstAfterDowntime() public {
        uint256 late = start + 3 * PERIOD + 50;
        vm.warp(late);
        fire(order, 0);
        uint256 dueAt = late + (PERIOD + 1) / 2;
        assertEq(vault.nextTrancheAt(order), dueAt);
        expectFiringToFail(1, tooEarly(1, dueAt));
        vm.warp(dueAt - 1);
        expectFiringToFail(1, tooEarly(1, dueAt));
        vm.warp(dueAt);
        fire(order, 1);
    }

    function test_noTrancheFromTheEndOn() public {
        uint256 end = vault.getOrder(order).endTime;
        vm.warp(end);
        expectFiringToFail(0, abi.encodeWithSelector(IOrderVault.OrderOver.selector, end));
        vm.warp(end - 1);
        assertEq(vault.nextTrancheAt(order), start);
        fire(order, 0);
        assertEq(vault.nextTrancheAt(order), 0);
    }

    function test_neverBeyondWhatIsLeft() public {
        for (uint256 n = 0; n < 4; ++n) {
            vm.warp(start + n * PERIOD);
            fire(order, n);
        }
        vm.warp(start + 4 * PERIOD);
        expectFiringToFail(4, abi.encodeWithSelector(IOrderVault.NothingLeft.selector, 77, EACH));
        // The vault also holds other owners' tokens.
        OrderTerms memory given = terms();
        given.owner = stranger.addr;
        fundOrder(given, "stranger's", stranger);
        expectFiringToFail(4, abi.encodeWithSelector(IOrderVault.NothingLeft.selector, 77, EACH));
    }

    function test_theLastOfWhatIsLeft() public {
        OrderTerms memory given = terms();
        given.totalAmount = EACH;
        bytes32 one = fundOrder(given, "one", owner);
        fire(one, 0);
        assertEq(vault.getOrder(one).left, 0);
        vm.prank(owner.addr);
        vault.closeOrder(one);
    }

    function test_attack_aBlobOfOnesOwn() public {
        bytes[] memory signatures = quorumOf(1, vault.trancheDigest(order, 0, keccak256(hex"01aa")));
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        vault.fireTranche(order, 0, hex"01bb", signatures);
    }

    function test_attack_anotherOrdersTranche() public {
        bytes32 other = fundOrder(terms(), "other", owner);
        bytes[] memory signatures = quorumOf(1, vault.trancheDigest(other, 0, keccak256(hex"01aa")));
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        vault.fireTranche(order, 0, hex"01aa", signatures);
    }

    function test_attack_aTrancheWithoutEnclaves() public {
        bytes32 digest = vault.trancheDigest(order, 0, keccak256(hex"01aa"));
        bytes[] memory signatures = new bytes[](1);
        signatures[0] = sign(owner, digest);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, owner.addr)
        );
        vm.prank(owner.addr);
        vault.fireTranche(order, 0, hex"01aa", signatures);
    }

    function test_revokedEnclavesFireNothing() public {
        vm.prank(admin);
        registry.revoke(enclaves[0].addr);
        expectFiringToFail(
            0, abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, enclaves[0].addr)
        );
    }

    function test_anOrdersQuorumOutlivesTheTokens() public {
        OrderTerms memory given = terms();
        given.token = address(strict);
        bytes32 two = fundOrder(given, "two", owner);
        vm.startPrank(admin);
        bytes memory change =
            abi.encodeCall(bridge.listToken, (address(strict), MIN_ESCROW, MAX_ESCROW, 1));
        bridge.announce(change);
        vm.stopPrank();
        vm.warp(block.timestamp + 2 days);
        bridge.listToken(address(strict), MIN_ESCROW, MAX_ESCROW, 1);
        bytes32 digest = vault.trancheDigest(two, 0, keccak256(hex"01aa"));
        bytes[] memory one = quorumOf(1, digest);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.WrongSignatureCount.selector, 1, 2));
        vault.fireTranche(two, 0, hex"01aa", one);
        fire(two, 0);
    }

    function test_aCancelledTrancheGoesToTheOwner() public {
        uint256 id = fire(order, 0);
        uint256 before = balance(address(usdc), owner.addr);
        vm.prank(owner.addr);
        bridge.cancelIntent(id);
        assertEq(balance(address(usdc), owner.addr), before + EACH);
        assertEq(vault.getOrder(order).left, TOTAL - EACH);
    }

    function test_aRefundedTrancheGoesToTheOwner() public {
        uint256 id = fire(order, 0);
        uint256 before = balance(address(usdc), owner.addr);
        vm.warp(block.timestamp + PERIOD);
        vm.prank(anyone);
        bridge.refund(id);
        assertEq(balance(address(usdc), owner.addr), before + EACH);
        assertEq(uint256(bridge.getIntent(id).phase), uint256(Phase.Refunded));
    }

    /// @dev The bridge may refuse tranches; the order goes on once it accepts them again, or ends.
    function test_aPausedBridgeKeepsNothing() public {
        vm.prank(admin);
        bridge.pauseCreation();
        expectFiringToFail(0, abi.encodeWithSelector(IBridgeErrors.CreationIsPaused.selector));
        assertEq(vault.getOrder(order).fired, 0);
        assertEq(vault.getOrder(order).left, TOTAL);
        uint256 snapshot = vm.snapshotState();
        vm.prank(admin);
        bridge.resumeCreation();
        fire(order, 0);
        assertTrue(vm.revertToState(snapshot));
        vm.prank(owner.addr);
        vault.closeOrder(order);
        assertEq(balance(address(usdc), address(vault)), 0);
    }

    /// @dev Any schedule, fired at arbitrary times.
    function testFuzz_schedules(uint32 period, uint96 each, uint8 tranches, uint256 seed) public {
        OrderTerms memory given = terms();
        given.period = bound(period, 5, 30 days);
        given.amountPerPeriod = bound(each, MIN_ESCROW, 1e12);
        uint256 count = bound(tranches, 1, 6);
        given.totalAmount = given.amountPerPeriod * count + seed % given.amountPerPeriod;
        given.startTime = block.timestamp + seed % 10_000;
        given.endTime = given.startTime + given.period * 8;
        order = fundOrder(given, "fuzzed", owner);
        uint256 last;
        uint256 fired;
        for (uint256 i = 0; i < 12; ++i) {
            vm.warp(
                block.timestamp + uint256(keccak256(abi.encode(seed, i))) % (given.period * 3 / 2)
            );
            uint256 dueAt = vault.nextTrancheAt(order);
            if (dueAt == 0 || block.timestamp < dueAt || block.timestamp >= given.endTime) {
                continue;
            }
            fire(order, fired);
            assertGe(block.timestamp, given.startTime + fired * given.period);
            if (fired > 0) assertGe(2 * (block.timestamp - last), given.period);
            last = block.timestamp;
            ++fired;
            Order memory now_ = vault.getOrder(order);
            assertEq(now_.left, given.totalAmount - fired * given.amountPerPeriod);
            assertEq(now_.fired, fired);
        }
        assertLe(fired, count);
    }
}
