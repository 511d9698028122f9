// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetUsdt} from "../src/devnet/DevnetUsdt.sol";
import {Phase} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {Deployed} from "./support/Deployed.sol";
import {MoodyToken, ReentrantToken} from "./support/HostileTokens.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @notice Pushes that are refused become credits; credits and fees reach their owners.
contract PayoutsTest is BridgeFixture {
    MoodyToken private moody;

    function setUp() public override {
        super.setUp();
        moody = new MoodyToken();
        list(address(moody));
    }

    function test_refund_toABlacklistedSender_isCredited() public {
        uint256 id = create();
        vm.warp(endOf(id));
        usdc.blacklist(sender);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.CreditAdded(sender, address(usdc), AMOUNT + REWARD);
        refund(id);
        assertEq(bridge.claimable(sender, address(usdc)), AMOUNT + REWARD);
        assertEq(held(), AMOUNT + REWARD);
        assertEq(uint8(bridge.getIntent(id).phase), uint8(Phase.Refunded));
    }

    function test_cancel_byABlacklistedSender_isCredited() public {
        uint256 id = create();
        usdc.blacklist(sender);
        vm.prank(sender);
        bridge.cancelIntent(id);
        assertEq(bridge.claimable(sender, address(usdc)), AMOUNT + REWARD);
    }

    function test_settle_toABlacklistedWinner_isCredited() public {
        uint256 id = deposited();
        usdc.blacklist(solver);
        settle(id);
        uint256 payout = AMOUNT - 25e6 + REWARD;
        assertEq(bridge.claimable(solver, address(usdc)), payout);
        assertEq(held(), payout + 25e6);
    }

    function test_credits_addUp() public {
        uint256 first = create();
        uint256 second = create();
        usdc.blacklist(sender);
        vm.warp(endOf(second));
        refund(first);
        refund(second);
        assertEq(bridge.claimable(sender, address(usdc)), 2 * (AMOUNT + REWARD));
    }

    function test_refund_whateverTheTokenAnswers() public {
        for (uint8 mood = 1; mood <= uint8(type(MoodyToken.Mood).max); ++mood) {
            uint256 id = createWith(address(moody));
            vm.warp(endOf(id));
            uint256 creditBefore = bridge.claimable(sender, address(moody));
            moody.setMood(MoodyToken.Mood(mood));
            uint256 gasBefore = gasleft();
            refund(id);
            assertLt(gasBefore - gasleft(), 420_000, "what the token does costs a bounded amount");
            uint256 credited = bridge.claimable(sender, address(moody)) - creditBefore;
            assertEq(credited, AMOUNT + REWARD, "a refused push is a credit");
            moody.setMood(MoodyToken.Mood.Honest);
        }
    }

    function test_refund_toATokenThatIsGone_isCredited() public {
        uint256 id = createWith(address(moody));
        vm.warp(endOf(id));
        vm.etch(address(moody), "");
        refund(id);
        assertEq(bridge.claimable(sender, address(moody)), AMOUNT + REWARD);
    }

    function test_refund_withTooLittleGas_revertsInsteadOfCrediting() public {
        uint256 id = create();
        vm.warp(endOf(id));
        uint256 required = 300_000 + uint256(300_000) / 63 + 60_000;
        try bridge.refund{gas: 360_000}(id) {
            fail();
        } catch (bytes memory reason) {
            assertEq(bytes4(reason), IBridgeErrors.InsufficientGas.selector);
            (, uint256 needed) = abi.decode(tail(reason), (uint256, uint256));
            assertEq(needed, required);
        }
        assertEq(uint8(bridge.getIntent(id).phase), uint8(Phase.Open));
    }

    /// @dev At every gas limit the escrow is paid, or nothing happens: never a credit.
    function testFuzz_refund_anyGas_neverCreditsAHonestToken(uint256 gasLimit) public {
        gasLimit = bound(gasLimit, 21_000, 600_000);
        uint256 id = create();
        vm.warp(endOf(id));
        uint256 before = balance(address(usdc), sender);
        (bool done,) = address(bridge).call{gas: gasLimit}(abi.encodeCall(bridge.refund, (id)));
        assertEq(bridge.claimable(sender, address(usdc)), 0);
        assertEq(balance(address(usdc), sender) - before, done ? AMOUNT + REWARD : 0);
    }

    function test_usdt_withoutReturnValuesWorksThroughout() public {
        DevnetUsdt usdt = DevnetUsdt(Deployed.create("DevnetUsdt", ""));
        list(address(usdt));
        uint256 senderBefore = usdt.balanceOf(sender);
        uint256 solverBefore = usdt.balanceOf(solver);
        uint256 id = depositedWith(address(usdt));
        settle(id);
        bridge.collectFees(address(usdt));
        assertEq(usdt.balanceOf(solver), solverBefore + AMOUNT - 25e6 + REWARD);
        assertEq(usdt.balanceOf(treasury), 25e6);
        assertEq(usdt.balanceOf(address(bridge)), 2 * STAKE);

        id = createWith(address(usdt));
        vm.warp(endOf(id));
        refund(id);
        assertEq(usdt.balanceOf(sender), senderBefore - AMOUNT - REWARD);
        assertEq(bridge.claimable(sender, address(usdt)), 0);
    }

    function test_claim_whereTheOwnerWants() public {
        credit();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.CreditClaimed(sender, address(usdc), AMOUNT + REWARD);
        vm.prank(sender);
        bridge.claim(address(usdc), anyone);
        assertEq(balance(address(usdc), anyone), AMOUNT + REWARD);
        assertEq(bridge.claimable(sender, address(usdc)), 0);
    }

    function test_claim_refusedByTheToken_keepsTheCredit() public {
        credit();
        vm.expectRevert("Blacklistable: account is blacklisted");
        vm.prank(sender);
        bridge.claim(address(usdc), sender);
        assertEq(bridge.claimable(sender, address(usdc)), AMOUNT + REWARD);
    }

    function test_claim_falseReturned_keepsTheCredit() public {
        uint256 id = createWith(address(moody));
        vm.warp(endOf(id));
        moody.setMood(MoodyToken.Mood.ReturnsFalse);
        refund(id);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.TransferRefused.selector, address(moody))
        );
        vm.prank(sender);
        bridge.claim(address(moody), anyone);
        assertEq(bridge.claimable(sender, address(moody)), AMOUNT + REWARD);
    }

    function test_claim_ofAnotherOwnersCredit_reverts() public {
        credit();
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.NothingOwed.selector, rival, address(usdc))
        );
        vm.prank(rival);
        bridge.claim(address(usdc), rival);
    }

    function test_claim_twice_reverts() public {
        credit();
        vm.prank(sender);
        bridge.claim(address(usdc), anyone);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.NothingOwed.selector, sender, address(usdc))
        );
        vm.prank(sender);
        bridge.claim(address(usdc), anyone);
    }

    function test_claim_toNobody_reverts() public {
        credit();
        address[2] memory bad = [address(0), address(bridge)];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.InvalidReceiver.selector, bad[i]));
            vm.prank(sender);
            bridge.claim(address(usdc), bad[i]);
        }
    }

    function test_collectFees_goToTheTreasury() public {
        settle(deposited());
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.FeesCollected(address(usdc), treasury, 25e6);
        vm.prank(anyone);
        bridge.collectFees(address(usdc));
        assertEq(balance(address(usdc), treasury), 25e6);
        assertEq(bridge.uncollectedFees(address(usdc)), 0);
        assertEq(held(), 0);
    }

    function test_fees_addUp() public {
        settle(deposited());
        settle(deposited());
        assertEq(bridge.uncollectedFees(address(usdc)), 50e6);
    }

    function test_collectFees_leavesOpenEscrowAlone() public {
        settle(deposited());
        create();
        bridge.collectFees(address(usdc));
        assertEq(held(), AMOUNT + REWARD);
    }

    function test_collectFees_refusedByTheToken_keepsThem() public {
        settle(deposited());
        usdc.blacklist(treasury);
        vm.expectRevert("Blacklistable: account is blacklisted");
        bridge.collectFees(address(usdc));
        assertEq(bridge.uncollectedFees(address(usdc)), 25e6);
    }

    function test_collectFees_none_reverts() public {
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.NothingOwed.selector, treasury, address(usdc))
        );
        bridge.collectFees(address(usdc));
    }

    /// @dev During each transfer by the bridge the token calls every guarded function: all revert.
    function test_reentrancy_isRefusedEverywhere() public {
        ReentrantToken token = new ReentrantToken();
        list(address(token));
        bytes[] memory attacks = guardedCalls(address(token));
        for (uint256 i = 0; i < attacks.length; ++i) {
            token.arm(address(bridge), attacks[i]);
            uint256 id = createWith(address(token));
            assertRefused(token);
            vm.warp(endOf(id));
            token.arm(address(bridge), attacks[i]);
            refund(id);
            assertRefused(token);
        }
    }

    function test_reentrancy_ofASettlementIsRefused() public {
        ReentrantToken token = new ReentrantToken();
        list(address(token));
        uint256 id = depositedWith(address(token));
        token.arm(address(bridge), abi.encodeCall(bridge.refund, (id)));
        settle(id);
        assertRefused(token);
        assertEq(balance(address(token), address(bridge)), 2 * STAKE + 25e6);
    }

    /// @dev Taking a best bidder's place pushes the forfeit: no call that moves tokens gets in
    ///      between.
    function test_reentrancy_ofATakeoverIsRefused() public {
        ReentrantToken token = new ReentrantToken();
        list(address(token));
        uint256 id = createWith(address(token));
        anchor(id);
        bid(id, solver, EXPECTED);
        vm.warp(endOf(id) + PICKUP);
        token.arm(address(bridge), abi.encodeCall(bridge.unstake, (address(token), 1)));
        deposit(id, rival, EXPECTED);
        assertRefused(token);
    }

    /// @dev In addition to the two stakes.
    function held() private view returns (uint256) {
        return balance(address(usdc), address(bridge)) - 2 * STAKE;
    }

    function assertRefused(ReentrantToken token) private view {
        assertTrue(token.called());
        assertFalse(token.succeeded());
        assertEq(
            bytes4(token.answer()), ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
        );
    }

    function guardedCalls(address token) private view returns (bytes[] memory calls) {
        calls = new bytes[](11);
        calls[0] = abi.encodeCall(bridge.refund, (1));
        calls[1] = abi.encodeCall(bridge.cancelIntent, (1));
        calls[2] = abi.encodeCall(bridge.settleIntent, (settlementOf(1), new bytes[](1)));
        calls[3] = abi.encodeCall(bridge.claim, (token, anyone));
        calls[4] = abi.encodeCall(bridge.collectFees, (token));
        calls[5] = abi.encodeCall(
            bridge.createIntent, (token, tokenB, AMOUNT, EXPECTED, REWARD, DEST, DURATION)
        );
        calls[6] = abi.encodeCall(bridge.stake, (token, 1));
        calls[7] = abi.encodeCall(bridge.unstake, (token, 1));
        calls[8] = abi.encodeCall(bridge.refundUndelivered, (notDeliveredOf(1), new bytes[](1)));
        calls[9] = abi.encodeCall(bridge.claimDelivery, (anyone, token));
        address[] memory recipients = new address[](1);
        recipients[0] = anyone;
        uint256[] memory amounts = new uint256[](1);
        amounts[0] = 1;
        calls[10] = abi.encodeCall(
            bridge.solveIntent, (DEST, DEST << 64, 0, token, recipients, amounts, 2 ** 64)
        );
    }

    /// @dev Gives `sender`, who stays blacklisted, a credit of AMOUNT + REWARD.
    function credit() private {
        uint256 id = create();
        vm.warp(endOf(id));
        usdc.blacklist(sender);
        refund(id);
    }

    /// @dev The arguments of an encoded error.
    function tail(bytes memory reason) private pure returns (bytes memory arguments) {
        arguments = new bytes(reason.length - 4);
        for (uint256 i = 0; i < arguments.length; ++i) {
            arguments[i] = reason[i + 4];
        }
    }
}
