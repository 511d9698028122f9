// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Phase} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {FeeOnTransferToken} from "./support/HostileTokens.sol";

/// @notice The winner's bond, in the two windows after the auction.
contract PickupTest is BridgeFixture {
    function test_deposit_namesTheWinnerAndPullsTheBond() public {
        uint256 id = withBid();
        vm.warp(endOf(id));
        uint256 before = balance(address(usdc), solver);
        uint256 fillDeadline = block.timestamp + EXECUTION;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.SolverDeposited(id, solver, EXPECTED + 5, BOND, fillDeadline);
        deposit(id, solver, EXPECTED + 5);

        assertEq(before - balance(address(usdc), solver), BOND);
        assertEq(balance(address(usdc), address(bridge)), AMOUNT + REWARD + BOND);
        Intent memory intent = bridge.getIntent(id);
        assertEq(uint8(intent.phase), uint8(Phase.Deposited));
        assertEq(intent.solver, solver);
        assertEq(intent.amountB, EXPECTED + 5);
        assertEq(intent.bond, BOND);
        assertEq(intent.fillDeadline, fillDeadline);
        assertEq(bridge.winnerOf(id), solver);
    }

    function test_deposit_bondIsRoundedDown() public {
        vm.prank(sender);
        uint256 id =
            bridge.createIntent(address(usdc), tokenB, 1_000_019, EXPECTED, 0, DEST, DURATION);
        anchor(id);
        bid(id, solver, EXPECTED);
        vm.warp(endOf(id));
        deposit(id, solver, EXPECTED);
        assertEq(bridge.getIntent(id).bond, 50_000);
    }

    function test_deposit_bestBidderUntilTheLastSecondOfItsWindow() public {
        uint256 id = withBid();
        vm.warp(endOf(id) + PICKUP - 1);
        deposit(id, solver, EXPECTED);
        assertEq(bridge.winnerOf(id), solver);
    }

    function test_deposit_anyoneFromTheFirstSecondOfTheSecondWindow() public {
        uint256 id = anchored();
        bid(id, solver, EXPECTED + 100);
        vm.warp(endOf(id) + PICKUP);
        deposit(id, rival, EXPECTED);
        assertEq(bridge.winnerOf(id), rival);
        assertEq(bridge.getIntent(id).amountB, EXPECTED);
    }

    function test_deposit_anyoneUntilTheLastSecondOfTheSecondWindow() public {
        uint256 id = withBid();
        vm.warp(endOf(id) + 2 * PICKUP - 1);
        deposit(id, rival, EXPECTED);
        assertEq(bridge.winnerOf(id), rival);
    }

    function test_deposit_duringTheAuction_reverts() public {
        uint256 id = withBid();
        uint256 endTime = endOf(id);
        vm.warp(endTime - 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AuctionStillOpen.selector, endTime));
        deposit(id, solver, EXPECTED);
    }

    function test_deposit_byOthersInTheFirstWindow_reverts() public {
        uint256 id = withBid();
        uint256 until = endOf(id) + PICKUP;
        vm.warp(until - 1);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.PickupReserved.selector, solver, until)
        );
        deposit(id, rival, EXPECTED + 100);
    }

    function test_deposit_belowItsOwnBid_reverts() public {
        uint256 id = anchored();
        bid(id, solver, EXPECTED + 100);
        vm.warp(endOf(id));
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.BidTooLow.selector, EXPECTED + 99, EXPECTED + 100)
        );
        deposit(id, solver, EXPECTED + 99);
    }

    function test_deposit_belowExpectedInTheSecondWindow_reverts() public {
        uint256 id = withBid();
        vm.warp(endOf(id) + PICKUP);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.BidTooLow.selector, EXPECTED - 1, EXPECTED)
        );
        deposit(id, rival, EXPECTED - 1);
    }

    function test_deposit_tooHigh_reverts() public {
        uint256 id = withBid();
        vm.warp(endOf(id));
        uint256 most = type(uint96).max;
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BidTooHigh.selector, most + 1, most));
        deposit(id, solver, most + 1);
    }

    function test_deposit_afterBothWindows_reverts() public {
        uint256 id = withBid();
        uint256 closedAt = endOf(id) + 2 * PICKUP;
        vm.warp(closedAt);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.PickupOver.selector, closedAt));
        deposit(id, solver, EXPECTED);
    }

    function test_deposit_withoutABid_reverts() public {
        uint256 id = anchored();
        uint256 endTime = endOf(id);
        for (uint256 window = 0; window < 2; ++window) {
            vm.warp(endTime + window * PICKUP);
            vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NoBid.selector, id));
            deposit(id, solver, EXPECTED);
        }
    }

    function test_deposit_twice_reverts() public {
        uint256 id = deposited();
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.WrongPhase.selector, id, Phase.Deposited, Phase.Open
            )
        );
        deposit(id, solver, EXPECTED);
    }

    function test_deposit_unknownIntent_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, 9));
        deposit(9, solver, EXPECTED);
    }

    function test_deposit_feeOnTransfer_reverts() public {
        FeeOnTransferToken token = new FeeOnTransferToken();
        list(address(token));
        uint256 id = createWith(address(token));
        anchor(id);
        bid(id, solver, EXPECTED);
        vm.warp(endOf(id));
        token.setTakesFee(true);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.TransferShort.selector, address(token), BOND, BOND - BOND / 100
            )
        );
        deposit(id, solver, EXPECTED);
    }
}
