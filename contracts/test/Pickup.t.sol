// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Phase} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice Who becomes the winner, in the two windows after the auction.
contract PickupTest is BridgeFixture {
    function test_deposit_namesTheWinnerAndMovesNothing() public {
        uint256 id = withBid();
        vm.warp(endOf(id));
        uint256 before = balance(address(usdc), solver);
        uint256 fillDeadline = block.timestamp + EXECUTION;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.SolverDeposited(id, solver, EXPECTED + 5, BOND, fillDeadline);
        deposit(id, solver, EXPECTED + 5);

        assertEq(balance(address(usdc), solver), before);
        assertEq(lockedOf(solver), BOND);
        Intent memory intent = intentOf(id);
        assertEq(uint8(intent.phase), uint8(Phase.Deposited));
        assertEq(intent.solver, solver);
        assertEq(intent.amountB, EXPECTED + 5);
        assertEq(intent.bond, BOND);
        assertEq(intent.fillDeadline, fillDeadline);
        assertEq(bridge.winnerOf(id), solver);
    }

    function test_deposit_bestBidderInBothWindows() public {
        uint256 id = anchored();
        bid(id, solver, EXPECTED + 100);
        vm.warp(endOf(id) + 2 * PICKUP - 1);
        expectTooLow(id, solver, EXPECTED + 99, EXPECTED + 100);
        deposit(id, solver, EXPECTED + 100);
        assertEq(bridge.winnerOf(id), solver);
        assertEq(totalOf(solver), STAKE);
    }

    /// @dev Killing an auction with a bid and buying it back with another account costs the lock.
    function test_deposit_byAnotherForfeitsTheBestBiddersLock() public {
        uint256 id = withBid();
        vm.warp(endOf(id) + PICKUP);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BidForfeited(id, solver, BOND);
        deposit(id, rival, EXPECTED);
        assertEq(bridge.winnerOf(id), rival);
        assertEq(totalOf(solver), STAKE - BOND);
        assertEq(lockedOf(solver), 0);
        assertEq(lockedOf(rival), BOND);
        assertEq(balance(address(usdc), nobody), BOND);
    }

    function test_deposit_byAnotherWithoutStake_reverts() public {
        uint256 id = withBid();
        vm.warp(endOf(id) + PICKUP);
        bytes memory reason = abi.encodeWithSelector(
            IBridgeErrors.StakeTooLow.selector, anyone, address(usdc), 0, BOND
        );
        Intent memory intent = intentOf(id);
        vm.expectRevert(reason);
        vm.prank(anyone);
        bridge.depositAndPickup(id, intent.paramsHash, intent.blobsHash, EXPECTED);
    }

    function test_deposit_refusedForfeit_isCredited() public {
        uint256 id = withBid();
        usdc.blacklist(nobody);
        vm.warp(endOf(id) + PICKUP);
        deposit(id, rival, EXPECTED);
        assertEq(bridge.claimable(nobody, address(usdc)), BOND);
    }

    /// @dev The floor falls by one percent of the best bid over the window, and never below what
    ///      the sender asked for.
    function test_deposit_floorFallsWithTime() public {
        uint256 best = EXPECTED * 2;
        uint32[4] memory at = [uint32(0), 1, 30, 59];
        for (uint256 i = 0; i < at.length; ++i) {
            uint256 id = anchored();
            bid(id, solver, best);
            vm.warp(endOf(id) + PICKUP + at[i]);
            uint256 floor = best - best * at[i] / 6_000;
            expectTooLow(id, rival, floor - 1, floor);
            deposit(id, rival, floor);
            assertEq(intentOf(id).amountB, floor);
        }
    }

    function test_deposit_floorIsAtLeastExpected() public {
        uint256 id = withBid();
        vm.warp(endOf(id) + 2 * PICKUP - 1);
        expectTooLow(id, rival, EXPECTED - 1, EXPECTED);
        deposit(id, rival, EXPECTED);
    }

    function test_deposit_duringTheAuction_reverts() public {
        uint256 id = withBid();
        uint256 endTime = endOf(id);
        vm.warp(endTime - 1);
        expectRefusal(
            id, solver, abi.encodeWithSelector(IBridgeErrors.AuctionStillOpen.selector, endTime)
        );
    }

    function test_deposit_byOthersInTheFirstWindow_reverts() public {
        uint256 id = withBid();
        uint256 until = endOf(id) + PICKUP;
        vm.warp(until - 1);
        expectRefusal(
            id, rival, abi.encodeWithSelector(IBridgeErrors.PickupReserved.selector, solver, until)
        );
    }

    function test_deposit_afterBothWindows_reverts() public {
        uint256 id = withBid();
        uint256 closedAt = endOf(id) + 2 * PICKUP;
        vm.warp(closedAt);
        bytes memory reason = abi.encodeWithSelector(IBridgeErrors.PickupOver.selector, closedAt);
        expectRefusal(id, solver, reason);
        expectRefusal(id, rival, reason);
    }

    function test_deposit_withoutABid_reverts() public {
        uint256 id = anchored();
        vm.warp(endOf(id));
        expectRefusal(id, solver, abi.encodeWithSelector(IBridgeErrors.NoBid.selector, id));
    }

    function test_deposit_tooHigh_reverts() public {
        uint256 id = withBid();
        uint256 most = type(uint96).max;
        vm.warp(endOf(id));
        Intent memory intent = intentOf(id);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BidTooHigh.selector, most + 1, most));
        vm.prank(solver);
        bridge.depositAndPickup(id, intent.paramsHash, intent.blobsHash, most + 1);
    }

    /// @dev A winner relies on terms and recipients: if they are gone, the pickup reverts.
    function test_deposit_otherTermsOrBlobs_revert() public {
        uint256 id = withBid();
        Intent memory intent = intentOf(id);
        vm.warp(intent.endTime);
        bytes32 other = keccak256("other");
        vm.startPrank(solver);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.WrongParams.selector, other, intent.paramsHash)
        );
        bridge.depositAndPickup(id, other, intent.blobsHash, EXPECTED);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.WrongBlobs.selector, other, intent.blobsHash)
        );
        bridge.depositAndPickup(id, intent.paramsHash, other, EXPECTED);
        vm.stopPrank();
    }

    function test_deposit_twice_reverts() public {
        uint256 id = deposited();
        bytes memory reason = abi.encodeWithSelector(
            IBridgeErrors.WrongPhase.selector, id, Phase.Deposited, Phase.Open
        );
        expectRefusal(id, solver, reason);
        vm.warp(block.timestamp + PICKUP);
        expectRefusal(id, rival, reason);
    }

    function expectTooLow(uint256 id, address by, uint256 amountB, uint256 least) private {
        Intent memory intent = intentOf(id);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BidTooLow.selector, amountB, least));
        vm.prank(by);
        bridge.depositAndPickup(id, intent.paramsHash, intent.blobsHash, amountB);
    }

    function expectRefusal(uint256 id, address by, bytes memory reason) private {
        Intent memory intent = intentOf(id);
        vm.expectRevert(reason);
        vm.prank(by);
        bridge.depositAndPickup(id, intent.paramsHash, intent.blobsHash, EXPECTED + 100);
    }
}
