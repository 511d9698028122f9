// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase, Reveal} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice A winner without its recipients: asking, revealing, and what failing costs then.
contract AskAndRevealTest is BridgeFixture {
    bytes private constant SEALED = hex"0badc0de";

    function test_ask_inTheSecondQuarter() public {
        uint256 id = deposited();
        uint256 start = block.timestamp;
        expectAskOutside(id, start);
        vm.warp(start + EXECUTION / 4 - 1);
        expectAskOutside(id, start);
        vm.warp(start + EXECUTION / 2);
        expectAskOutside(id, start);
        vm.warp(start + EXECUTION / 2 - 1);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.RecipientsAsked(id, solver);
        ask(id);
        assertTrue(intentOf(id).asked);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AlreadyAsked.selector, id));
        ask(id);
    }

    function test_ask_fromTheFirstSecondOfTheSecondQuarter() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION / 4);
        ask(id);
        assertFalse(intentOf(id).revealed);
    }

    function test_ask_byAnotherOrTooEarlyInItsLife_reverts() public {
        uint256 id = withBid();
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.WrongPhase.selector, id, Phase.Open, Phase.Deposited
            )
        );
        ask(id);
        id = deposited();
        vm.warp(block.timestamp + EXECUTION / 4);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotWinner.selector, rival, solver));
        vm.prank(rival);
        bridge.askRecipients(id);
    }

    function test_ask_afterTheReveal_reverts() public {
        uint256 id = deposited();
        reveal(id, SEALED);
        vm.warp(block.timestamp + EXECUTION / 4);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AlreadyRevealed.selector, id));
        ask(id);
    }

    function test_reveal_untilAQuarterIsLeft() public {
        uint256 id = deposited();
        uint256 until = block.timestamp + uint256(EXECUTION) * 3 / 4;
        bytes[] memory signatures = only(signed(address(bridge), revealOf(id, SEALED), enclave));
        vm.warp(until);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.OutsideWindow.selector, until - EXECUTION * 3 / 4, until
            )
        );
        bridge.revealRecipients(id, SEALED, signatures);
        vm.warp(until - 1);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.RecipientsRevealed(id, SEALED);
        bridge.revealRecipients(id, SEALED, signatures);
        assertTrue(intentOf(id).revealed);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AlreadyRevealed.selector, id));
        bridge.revealRecipients(id, SEALED, signatures);
    }

    function test_reveal_otherBytesOrNotDeposited_reverts() public {
        uint256 id = deposited();
        bytes[] memory signatures = only(signed(address(bridge), revealOf(id, SEALED), enclave));
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.revealRecipients(id, hex"0badc0df", signatures);
        uint256 open = withBid();
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.WrongPhase.selector, open, Phase.Open, Phase.Deposited
            )
        );
        bridge.revealRecipients(open, SEALED, signatures);
    }

    function test_reveal_ofAnotherWinnerOrAmountOrBlobs_reverts() public {
        uint256 id = deposited();
        Reveal memory given = revealOf(id, SEALED);
        given.solver = rival;
        expectAnother(id, given);
        given = revealOf(id, SEALED);
        given.amountB += 1;
        expectAnother(id, given);
        given = revealOf(id, SEALED);
        given.blobsHash = 0;
        expectAnother(id, given);
        given = revealOf(id, SEALED);
        given.paramsHash = 0;
        expectAnother(id, given);
        given = revealOf(id, SEALED);
        given.intentId += 1;
        expectAnother(id, given);
    }

    /// @dev A silent relayer costs the winner one call and no stake.
    function test_askedAndNotRevealed_keepsTheBond() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION / 4);
        ask(id);
        vm.warp(intentOf(id).fillDeadline);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentRefunded(id, sender, AMOUNT + REWARD, 0, 1);
        refundUndelivered(id);
        assertEq(totalOf(solver), STAKE);
        assertEq(lockedOf(solver), 0);
        assertEq(balance(address(usdc), nobody), 0);
    }

    function test_askedAndNotRevealed_keepsTheBondInTheRefundByAnyone() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION / 4);
        ask(id);
        vm.warp(intentOf(id).fillDeadline + GRACE);
        refund(id);
        assertEq(totalOf(solver), STAKE);
        assertEq(lockedOf(solver), 0);
    }

    /// @dev Asking frees nobody if the recipients are then revealed: failing costs the bond.
    function test_askedAndRevealed_losesTheBond() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION / 4);
        ask(id);
        reveal(id, SEALED);
        vm.warp(intentOf(id).fillDeadline);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BidForfeited(id, solver, BOND);
        refundUndelivered(id);
        assertEq(totalOf(solver), STAKE - BOND);
        assertEq(balance(address(usdc), nobody), BOND);
    }

    function test_revealedOrNeverAsked_losesTheBond() public {
        uint256 id = deposited();
        reveal(id, SEALED);
        vm.warp(intentOf(id).fillDeadline);
        refundUndelivered(id);
        assertEq(totalOf(solver), STAKE - BOND);
        id = deposited();
        vm.warp(intentOf(id).fillDeadline);
        refundUndelivered(id);
        assertEq(totalOf(solver), STAKE - 2 * BOND);
        assertEq(lockedOf(solver), 0);
    }

    /// @dev A winner that asks and still delivers is settled as usual.
    function test_asked_canSettle() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION / 4);
        ask(id);
        settle(id);
        assertEq(totalOf(solver), STAKE);
        assertEq(lockedOf(solver), 0);
    }

    function ask(uint256 id) private {
        vm.prank(solver);
        bridge.askRecipients(id);
    }

    function expectAskOutside(uint256 id, uint256 start) private {
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.OutsideWindow.selector, start + EXECUTION / 4, start + EXECUTION / 2
            )
        );
        ask(id);
    }

    function expectAnother(uint256 id, Reveal memory given) private {
        bytes[] memory signatures = only(signed(address(bridge), given, enclave));
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.revealRecipients(id, SEALED, signatures);
    }
}
