// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice How escrow returns to its sender: cancel, and the escape path.
contract WaysBackTest is BridgeFixture {
    function test_cancel_returnsEverything() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = create();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentCancelled(id, sender, AMOUNT + REWARD);
        cancel(id);
        assertEq(balance(address(usdc), sender), before);
        assertEq(balance(address(usdc), address(bridge)), 0);
        assertEq(uint8(bridge.getIntent(id).phase), uint8(Phase.Cancelled));
    }

    function test_cancel_anchoredButWithoutBid() public {
        uint256 id = anchored();
        cancel(id);
        assertEq(uint8(bridge.getIntent(id).phase), uint8(Phase.Cancelled));
    }

    function test_cancel_byOthers_reverts() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotSender.selector, owner, sender));
        vm.prank(owner);
        bridge.cancelIntent(id);
    }

    function test_cancel_withABid_reverts() public {
        uint256 id = withBid();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.HasBid.selector, id, solver));
        cancel(id);
    }

    function test_cancel_twiceOrUnknown_reverts() public {
        uint256 id = create();
        cancel(id);
        vm.expectRevert(wrongPhase(id, Phase.Cancelled));
        cancel(id);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, id + 1));
        cancel(id + 1);
    }

    function test_refund_withoutBid_atEndTime() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = anchored();
        vm.warp(endOf(id));
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentRefunded(id, sender, AMOUNT + REWARD, 0, 0);
        refund(id);
        assertEq(balance(address(usdc), sender), before);
        assertEq(uint8(bridge.getIntent(id).phase), uint8(Phase.Refunded));
        assertEq(bridge.winnerOf(id), address(0));
    }

    function test_refund_neverAnchored() public {
        uint256 id = create();
        vm.warp(endOf(id));
        refund(id);
        assertEq(balance(address(usdc), address(bridge)), 0);
    }

    function test_refund_withoutBid_early_reverts() public {
        uint256 id = anchored();
        uint256 endTime = endOf(id);
        vm.warp(endTime - 1);
        vm.expectRevert(notYet(id, endTime));
        refund(id);
    }

    function test_refund_notPickedUp_afterBothWindows() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = withBid();
        vm.warp(endOf(id) + 2 * PICKUP);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentRefunded(id, sender, AMOUNT + REWARD, 0, 0);
        refund(id);
        assertEq(balance(address(usdc), sender), before);
    }

    function test_refund_notPickedUp_early_reverts() public {
        uint256 id = withBid();
        uint256 opensAt = endOf(id) + 2 * PICKUP;
        vm.warp(opensAt - 1);
        vm.expectRevert(notYet(id, opensAt));
        refund(id);
    }

    function test_refund_failed_bringsTheBondToTheSender() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION + GRACE);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentRefunded(id, sender, AMOUNT + REWARD, BOND, 1);
        refund(id);
        assertEq(balance(address(usdc), sender), before + BOND);
        assertEq(balance(address(usdc), address(bridge)), 0);
        assertEq(bridge.winnerOf(id), solver);
    }

    function test_refund_failed_early_reverts() public {
        uint256 id = deposited();
        uint256 opensAt = block.timestamp + EXECUTION + GRACE;
        vm.warp(opensAt - 1);
        vm.expectRevert(notYet(id, opensAt));
        refund(id);
    }

    function test_refund_terminal_reverts() public {
        uint256 cancelled = create();
        cancel(cancelled);
        uint256 settled = deposited();
        settle(settled);
        uint256 refunded = deposited();
        vm.warp(block.timestamp + 2 days);
        refund(refunded);

        vm.expectRevert(wrongPhase(cancelled, Phase.Cancelled));
        refund(cancelled);
        vm.expectRevert(wrongPhase(settled, Phase.Settled));
        refund(settled);
        vm.expectRevert(wrongPhase(refunded, Phase.Refunded));
        refund(refunded);
    }

    function test_refund_unknown_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, 1));
        refund(1);
    }

    function test_refund_needsNobody() public {
        uint256 id = deposited();
        vm.startPrank(owner);
        bridge.pauseCreation();
        bridge.delistToken(address(usdc));
        bridge.delistDestination(DEST);
        bridge.rotateRelayer(address(0xdead));
        bridge.renounceOwnership();
        registry.removeMeasurement(MEASUREMENT);
        registry.renounceOwnership();
        vm.stopPrank();
        uint256 before = balance(address(usdc), sender);
        vm.warp(block.timestamp + EXECUTION + GRACE);
        refund(id);
        assertEq(balance(address(usdc), sender), before + AMOUNT + REWARD + BOND);
    }

    function cancel(uint256 id) private {
        vm.prank(sender);
        bridge.cancelIntent(id);
    }

    function notYet(uint256 id, uint256 at) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.NotRefundableYet.selector, id, at);
    }

    function wrongPhase(uint256 id, Phase current) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.WrongPhase.selector, id, current, Phase.Open);
    }
}
