// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Phase} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice Bids and the stake that backs them.
contract AuctionTest is BridgeFixture {
    function test_placeBid_leadsAndLocks() public {
        uint256 id = anchored();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BidPlaced(id, solver, EXPECTED);
        bid(id, solver, EXPECTED);
        Intent memory intent = intentOf(id);
        assertEq(intent.solver, solver);
        assertEq(intent.amountB, EXPECTED);
        assertEq(intent.bond, BOND);
        assertEq(lockedOf(solver), BOND);
        assertEq(totalOf(solver), STAKE);
        assertEq(bridge.winnerOf(id), address(0));
    }

    function test_placeBid_aBetterOneTakesTheLeadAndFreesTheOutbid() public {
        uint256 id = withBid();
        bid(id, rival, EXPECTED + 1);
        assertEq(intentOf(id).solver, rival);
        assertEq(intentOf(id).amountB, EXPECTED + 1);
        assertEq(lockedOf(solver), 0);
        assertEq(lockedOf(rival), BOND);
    }

    function test_placeBid_raisingOnesOwnMovesNoStake() public {
        uint256 id = withBid();
        vm.prank(solver);
        bridge.unstake(address(usdc), STAKE - BOND);
        bid(id, solver, EXPECTED + 7);
        assertEq(intentOf(id).amountB, EXPECTED + 7);
        assertEq(lockedOf(solver), BOND);
    }

    function test_placeBid_locksOfTwoIntentsAddUp() public {
        withBid();
        withBid();
        assertEq(lockedOf(solver), 2 * BOND);
    }

    /// @dev Without stake behind it, a bid of 2^96 - 1 could end an auction for its gas alone.
    function test_placeBid_withoutStake_reverts() public {
        uint256 id = anchored();
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.StakeTooLow.selector, anyone, address(usdc), 0, BOND
            )
        );
        bid(id, anyone, type(uint96).max);
        vm.prank(solver);
        bridge.unstake(address(usdc), STAKE - BOND + 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.StakeTooLow.selector, solver, address(usdc), BOND - 1, BOND
            )
        );
        bid(id, solver, EXPECTED);
    }

    function test_placeBid_bondIsOfTheEscrow_roundedDown() public {
        vm.prank(sender);
        uint256 id =
            bridge.createIntent(address(usdc), tokenB, 1_000_000, EXPECTED, 39, DEST, DURATION);
        anchor(id);
        bid(id, solver, EXPECTED);
        assertEq(lockedOf(solver), 50_001);
        assertEq(intentOf(id).bond, 50_001);
    }

    function test_placeBid_untilTheLastSecond() public {
        uint256 id = anchored();
        vm.warp(endOf(id) - 1);
        bid(id, solver, type(uint96).max);
        assertEq(intentOf(id).amountB, type(uint96).max);
    }

    function test_placeBid_belowExpected_reverts() public {
        uint256 id = anchored();
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.BidTooLow.selector, EXPECTED - 1, EXPECTED)
        );
        bid(id, solver, EXPECTED - 1);
    }

    function test_placeBid_equalToTheBest_reverts() public {
        uint256 id = withBid();
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.BidTooLow.selector, EXPECTED, EXPECTED + 1)
        );
        bid(id, rival, EXPECTED);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.BidTooLow.selector, EXPECTED, EXPECTED + 1)
        );
        bid(id, solver, EXPECTED);
    }

    function test_placeBid_tooHigh_reverts() public {
        uint256 id = anchored();
        uint256 most = type(uint96).max;
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BidTooHigh.selector, most + 1, most));
        bid(id, solver, most + 1);
        bid(id, solver, most);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BidTooHigh.selector, most + 1, most));
        bid(id, rival, most + 1);
    }

    function test_placeBid_beforeTheAnchor_reverts() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotAnchored.selector, id));
        bid(id, solver, EXPECTED);
    }

    function test_placeBid_afterTheAuction_reverts() public {
        uint256 id = anchored();
        uint256 endTime = endOf(id);
        vm.warp(endTime);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AuctionOver.selector, endTime));
        bid(id, solver, EXPECTED);
    }

    function test_placeBid_onAClosedOrUnknownIntent_reverts() public {
        uint256 id = anchored();
        vm.prank(sender);
        bridge.cancelIntent(id);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.WrongPhase.selector, id, Phase.Cancelled, Phase.Open
            )
        );
        bid(id, solver, EXPECTED);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, id + 1));
        bid(id + 1, solver, EXPECTED);
    }
}
