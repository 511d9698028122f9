// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {NotDelivered, Phase, Settlement} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice How escrow returns to its sender: cancel, and the escape path.
contract CancelAndRefundTest is BridgeFixture {
    function test_cancel_returnsEverything() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = create();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentCancelled(id, sender, AMOUNT + REWARD);
        cancel(id);
        assertEq(balance(address(usdc), sender), before);
        assertEq(balance(address(usdc), address(bridge)), 2 * STAKE);
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

    /// @dev Without a bid, the sender can cancel at any time, even after the auction.
    function test_cancel_withoutBid_atAnyTime() public {
        uint256 id = anchored();
        vm.warp(endOf(id) + 10 days);
        cancel(id);
        assertEq(uint8(bridge.getIntent(id).phase), uint8(Phase.Cancelled));
    }

    /// @dev A bid that isn't meant can't hold a sender: it has until firmAt to cancel.
    function test_cancel_withABid_untilFirm() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = withBid();
        uint256 firmAt = endOf(id) - FIRM;
        vm.warp(firmAt);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.Firm.selector, firmAt));
        cancel(id);
        vm.warp(firmAt - 1);
        cancel(id);
        assertEq(balance(address(usdc), sender), before);
        assertEq(lockedOf(solver), 0);
        assertEq(totalOf(solver), STAKE);
        assertEq(intentOf(id).bond, 0);
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
        assertEq(balance(address(usdc), address(bridge)), 2 * STAKE);
    }

    function test_refund_withoutBid_early_reverts() public {
        uint256 id = anchored();
        uint256 endTime = endOf(id);
        vm.warp(endTime - 1);
        vm.expectRevert(notYet(id, endTime));
        refund(id);
    }

    /// @dev A best bidder that doesn't deposit loses its lock even if nobody takes its place.
    function test_refund_notPickedUp_afterBothWindows() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = withBid();
        vm.warp(endOf(id) + 2 * PICKUP);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentRefunded(id, sender, AMOUNT + REWARD, BOND, 0);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BidForfeited(id, solver, BOND);
        refund(id);
        assertEq(balance(address(usdc), sender), before);
        assertEq(totalOf(solver), STAKE - BOND);
        assertEq(lockedOf(solver), 0);
        assertEq(balance(address(usdc), nobody), BOND);
    }

    function test_refund_notPickedUp_early_reverts() public {
        uint256 id = withBid();
        uint256 opensAt = endOf(id) + 2 * PICKUP;
        vm.warp(opensAt - 1);
        vm.expectRevert(notYet(id, opensAt));
        refund(id);
    }

    /// @dev A forfeit goes to nobody: the sender could have caused the failure.
    function test_refund_failed_forfeitsTheBondToNobody() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION + GRACE);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentRefunded(id, sender, AMOUNT + REWARD, BOND, 1);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BidForfeited(id, solver, BOND);
        refund(id);
        assertEq(balance(address(usdc), sender), before);
        assertEq(balance(address(usdc), nobody), BOND);
        assertEq(totalOf(solver), STAKE - BOND);
        assertEq(bridge.winnerOf(id), solver);
        assertEq(intentOf(id).bond, 0);
    }

    function test_refundUndelivered_atOnce() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = deposited();
        uint256 fillDeadline = intentOf(id).fillDeadline;
        vm.warp(fillDeadline - 1);
        expectUndeliveredRefused(notDeliveredOf(id), notYet(id, fillDeadline));
        vm.warp(fillDeadline);
        refundUndelivered(id);
        assertEq(balance(address(usdc), sender), before);
        assertEq(uint8(bridge.getIntent(id).phase), uint8(Phase.Refunded));
    }

    function test_refundUndelivered_onlyOnTheIntentsOwnValues() public {
        uint256 id = deposited();
        vm.warp(intentOf(id).fillDeadline);
        NotDelivered memory right = notDeliveredOf(id);
        NotDelivered memory given = notDeliveredOf(id);
        given.paramsHash = 0;
        expectUndeliveredRefused(
            given, abi.encodeWithSelector(IBridgeErrors.WrongParams.selector, 0, right.paramsHash)
        );
        given = notDeliveredOf(id);
        given.blobsHash = 0;
        expectUndeliveredRefused(
            given, abi.encodeWithSelector(IBridgeErrors.WrongBlobs.selector, 0, right.blobsHash)
        );
        given = notDeliveredOf(id);
        given.solver = rival;
        expectUndeliveredRefused(
            given, abi.encodeWithSelector(IBridgeErrors.WrongSolver.selector, rival, solver)
        );
        given = notDeliveredOf(id);
        given.amountB -= 1;
        expectUndeliveredRefused(
            given,
            abi.encodeWithSelector(IBridgeErrors.WrongAmount.selector, EXPECTED - 1, EXPECTED)
        );
        given = notDeliveredOf(id);
        given.fillDeadline -= 1;
        expectUndeliveredRefused(
            given,
            abi.encodeWithSelector(
                IBridgeErrors.WrongFillDeadline.selector, given.fillDeadline, right.fillDeadline
            )
        );
    }

    function test_refundUndelivered_unsignedOrNotDeposited_reverts() public {
        uint256 id = deposited();
        vm.warp(intentOf(id).fillDeadline);
        NotDelivered memory given = notDeliveredOf(id);
        bytes memory signature = signed(address(bridge), given, quoting);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.refundUndelivered(given, only(signature));
        settle(id);
        expectUndeliveredRefused(
            given,
            abi.encodeWithSelector(
                IBridgeErrors.WrongPhase.selector, id, Phase.Settled, Phase.Deposited
            )
        );
    }

    /// @dev A settlement's signature doesn't prove the opposite: the types differ.
    function test_refundUndelivered_bySettlementsSignature_reverts() public {
        uint256 id = deposited();
        vm.warp(intentOf(id).fillDeadline);
        NotDelivered memory given = notDeliveredOf(id);
        Settlement memory settlement =
            Settlement(id, given.paramsHash, given.blobsHash, solver, EXPECTED, given.fillDeadline);
        bytes memory signature = signed(address(bridge), settlement, enclave);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.refundUndelivered(given, only(signature));
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
        vm.warp(block.timestamp + 4 days);
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
        bridge.renounceOwnership();
        registry.removeMeasurement(MEASUREMENT);
        registry.renounceOwnership();
        vm.stopPrank();
        uint256 before = balance(address(usdc), sender);
        vm.warp(block.timestamp + EXECUTION + GRACE);
        refund(id);
        assertEq(balance(address(usdc), sender), before + AMOUNT + REWARD);
    }

    function cancel(uint256 id) private {
        vm.prank(sender);
        bridge.cancelIntent(id);
    }

    function expectUndeliveredRefused(NotDelivered memory given, bytes memory reason) private {
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.expectRevert(reason);
        bridge.refundUndelivered(given, only(signature));
    }

    function notYet(uint256 id, uint256 at) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.NotRefundableYet.selector, id, at);
    }

    function wrongPhase(uint256 id, Phase current) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.WrongPhase.selector, id, current, Phase.Open);
    }
}
