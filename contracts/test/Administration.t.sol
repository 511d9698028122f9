// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../src/BridgeIntentV2.sol";
import {Intent, TokenListing, Windows} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {Deployed} from "./support/Deployed.sol";
import {FeeOnTransferToken} from "./support/HostileTokens.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @notice Constructor, announced changes, lists, treasury and pause.
contract AdministrationTest is BridgeFixture {
    uint256 private constant MOST = type(uint96).max;

    function test_constructor_setsTermsAndLists() public {
        vm.expectEmit();
        emit IBridgeEvents.BridgeDeployed(
            address(registry), treasury, nobody, MIN_DURATION, FIRM, PICKUP, EXECUTION, GRACE
        );
        vm.expectEmit();
        emit IBridgeEvents.TokenListed(address(usdc), MIN_ESCROW, MAX_ESCROW, 1);
        vm.expectEmit();
        emit IBridgeEvents.DestinationListed(DEST);
        vm.expectEmit();
        emit IBridgeEvents.PeripheryListed(periphery);
        BridgeIntentV2 fresh = newBridge(windows());
        assertEq(fresh.owner(), owner);
        assertEq(fresh.treasury(), treasury);
        assertEq(address(fresh.REGISTRY()), address(registry));
        assertEq(fresh.FORFEIT_RECEIVER(), nobody);
        assertEq(fresh.MIN_AUCTION_DURATION(), MIN_DURATION);
        assertEq(fresh.FIRM_SECONDS(), FIRM);
        assertEq(fresh.PICKUP_WINDOW(), PICKUP);
        assertEq(fresh.EXECUTION_WINDOW(), EXECUTION);
        assertEq(fresh.SETTLEMENT_GRACE(), GRACE);
        assertEq(fresh.ANNOUNCEMENT_DELAY(), DELAY);
        assertFalse(fresh.creationPaused());
        assertTrue(fresh.isDestinationListed(DEST));
        assertTrue(fresh.isPeripheryListed(periphery));
    }

    function test_constructor_zeroAddresses_revert() public {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        bare(address(0), anyone, anyone, anyone);
        vm.expectRevert(IBridgeErrors.ZeroAddress.selector);
        bare(anyone, address(0), anyone, anyone);
        vm.expectRevert(IBridgeErrors.ZeroAddress.selector);
        bare(anyone, anyone, address(0), anyone);
        vm.expectRevert(IBridgeErrors.ZeroAddress.selector);
        bare(anyone, anyone, anyone, address(0));
    }

    function test_constructor_zeroWindows_revert() public {
        for (uint256 i = 0; i < 6; ++i) {
            Windows memory given = windows();
            if (i == 0) given.minAuctionDuration = 0;
            if (i == 1) given.firmSeconds = 0;
            if (i == 2) given.pickupWindow = 0;
            if (i == 3) given.executionWindow = 0;
            if (i == 4) given.settlementGrace = 0;
            if (i == 5) given.announcementDelay = 0;
            vm.expectRevert(IBridgeErrors.ZeroWindow.selector);
            newBridge(given);
        }
    }

    function test_announce_thenAnyoneEnacts() public {
        address token = address(new FeeOnTransferToken());
        bytes memory change = abi.encodeCall(bridge.listToken, (token, 10_000, 20_000, 2));
        bytes32 changeId = keccak256(change);
        uint256 activeAt = block.timestamp + DELAY;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.ChangeAnnounced(changeId, change, activeAt);
        vm.prank(owner);
        assertEq(bridge.announce(change), changeId);
        assertEq(bridge.changeActiveAt(change), activeAt);
        vm.warp(activeAt - 1);
        expectRefused(
            change, abi.encodeWithSelector(IBridgeErrors.NotActiveYet.selector, changeId, activeAt)
        );
        vm.warp(activeAt);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.TokenListed(token, 10_000, 20_000, 2);
        vm.prank(anyone);
        bridge.listToken(token, 10_000, 20_000, 2);
        assertListing(token, true, 10_000, 20_000, 2);
        assertEq(bridge.changeActiveAt(change), 0);
        expectRefused(change, notAnnounced(change));
    }

    function test_announce_everyListAndTheTreasury() public {
        bytes[4] memory changes = [
            abi.encodeCall(bridge.listToken, (address(usdc), 10_000, 20_000, 2)),
            abi.encodeCall(bridge.listDestination, (5)),
            abi.encodeCall(bridge.listPeriphery, (anyone)),
            abi.encodeCall(bridge.changeTreasury, (anyone))
        ];
        for (uint256 i = 0; i < changes.length; ++i) {
            vm.prank(owner);
            (bool direct, bytes memory reason) = address(bridge).call(changes[i]);
            assertFalse(direct, "the owner can't skip the delay");
            assertEq(reason, notAnnounced(changes[i]));
            enact(changes[i]);
        }
        assertListing(address(usdc), true, 10_000, 20_000, 2);
        assertTrue(bridge.isDestinationListed(5));
        assertTrue(bridge.isPeripheryListed(anyone));
        assertEq(bridge.treasury(), anyone);
    }

    /// @dev A second announcement waits its own full delay.
    function test_announce_eachChangeWaitsForItself() public {
        bytes memory first = abi.encodeCall(bridge.changeTreasury, (anyone));
        bytes memory second = abi.encodeCall(bridge.changeTreasury, (rival));
        vm.startPrank(owner);
        bridge.announce(first);
        vm.warp(block.timestamp + DELAY);
        bridge.announce(second);
        vm.stopPrank();
        expectRefused(
            second,
            abi.encodeWithSelector(
                IBridgeErrors.NotActiveYet.selector, keccak256(second), block.timestamp + DELAY
            )
        );
    }

    function test_announce_twice_reverts() public {
        bytes memory change = abi.encodeCall(bridge.changeTreasury, (anyone));
        vm.startPrank(owner);
        bridge.announce(change);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.AlreadyAnnounced.selector, keccak256(change), block.timestamp + DELAY
            )
        );
        bridge.announce(change);
        vm.stopPrank();
    }

    function test_announce_otherCalls_revert() public {
        bytes[4] memory bad = [
            abi.encodeCall(bridge.pauseCreation, ()),
            abi.encodeCall(bridge.transferOwnership, (anyone)),
            abi.encodePacked(bridge.changeTreasury.selector),
            bytes("")
        ];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IBridgeErrors.NotAnnounceable.selector, bytes4(bad[i]))
            );
            vm.prank(owner);
            bridge.announce(bad[i]);
        }
    }

    function test_withdrawChange_endsIt() public {
        bytes memory change = abi.encodeCall(bridge.changeTreasury, (anyone));
        vm.startPrank(owner);
        vm.expectRevert(notAnnounced(change));
        bridge.withdrawChange(keccak256(change));
        bridge.announce(change);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.ChangeWithdrawn(keccak256(change));
        bridge.withdrawChange(keccak256(change));
        vm.stopPrank();
        vm.warp(block.timestamp + DELAY);
        expectRefused(change, notAnnounced(change));
    }

    /// @dev An announcement from before a removal can't bring the entry back after it.
    function test_removal_overtakesWhatWasAnnounced() public {
        bytes[3] memory changes = [
            abi.encodeCall(bridge.listToken, (address(usdc), 10_000, 20_000, 2)),
            abi.encodeCall(bridge.listDestination, (DEST)),
            abi.encodeCall(bridge.listPeriphery, (periphery))
        ];
        bytes memory unrelated = abi.encodeCall(bridge.listDestination, (5));
        vm.startPrank(owner);
        for (uint256 i = 0; i < changes.length; ++i) {
            bridge.announce(changes[i]);
        }
        bridge.announce(unrelated);
        vm.warp(block.timestamp + DELAY);
        bridge.delistToken(address(usdc));
        bridge.delistDestination(DEST);
        bridge.delistPeriphery(periphery);
        vm.stopPrank();
        for (uint256 i = 0; i < changes.length; ++i) {
            assertEq(bridge.changeActiveAt(changes[i]), 0);
            expectRefused(changes[i], notAnnounced(changes[i]));
            enact(changes[i]);
        }
        bridge.listDestination(5);
        assertListing(address(usdc), true, 10_000, 20_000, 2);
        assertTrue(bridge.isDestinationListed(DEST));
        assertTrue(bridge.isPeripheryListed(periphery));
    }

    function test_listToken_againKeepsOpenIntentsTokens() public {
        uint256 id = create();
        address other = address(new FeeOnTransferToken());
        list(other);
        vm.prank(owner);
        bridge.delistToken(address(usdc));
        enact(abi.encodeCall(bridge.listToken, (address(usdc), 10_000, 10_001, 1)));
        assertEq(intentOf(id).tokenA, address(usdc));
        assertEq(intentOf(createWith(other)).tokenA, other);
    }

    function test_listToken_badRange_reverts() public {
        uint256[2][3] memory bad =
            [[uint256(9_999), 10_005], [uint256(10_006), 10_005], [uint256(10_000), MOST + 1]];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectChangeRefused(
                abi.encodeCall(bridge.listToken, (address(usdc), bad[i][0], bad[i][1], 1)),
                abi.encodeWithSelector(
                    IBridgeErrors.InvalidAmountRange.selector, bad[i][0], bad[i][1], 10_000, MOST
                )
            );
        }
        enact(abi.encodeCall(bridge.listToken, (address(usdc), 10_000, 10_000, 8)));
        assertListing(address(usdc), true, 10_000, 10_000, 8);
    }

    function test_listToken_badQuorum_reverts() public {
        uint8[2] memory bad = [uint8(0), 9];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectChangeRefused(
                abi.encodeCall(bridge.listToken, (address(usdc), 10_000, 10_001, bad[i])),
                abi.encodeWithSelector(IBridgeErrors.InvalidQuorum.selector, bad[i], 8)
            );
        }
    }

    function test_listToken_withoutCode_reverts() public {
        expectChangeRefused(
            abi.encodeCall(bridge.listToken, (anyone, 10_000, 20_000, 1)),
            abi.encodeWithSelector(IBridgeErrors.NotAContract.selector, anyone)
        );
    }

    function test_delistToken_keepsItOutOfNewIntents() public {
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.TokenDelisted(address(usdc));
        vm.prank(owner);
        bridge.delistToken(address(usdc));
        assertListing(address(usdc), false, MIN_ESCROW, MAX_ESCROW, 1);
        bytes memory reason =
            abi.encodeWithSelector(IBridgeErrors.TokenNotListed.selector, address(usdc));
        vm.expectRevert(reason);
        create();
        vm.expectRevert(reason);
        vm.prank(owner);
        bridge.delistToken(address(usdc));
    }

    function test_listDestination_andDelist() public {
        uint256 greatest = 2 ** 53 - 1;
        enact(abi.encodeCall(bridge.listDestination, (greatest)));
        assertTrue(bridge.isDestinationListed(greatest));
        vm.startPrank(owner);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.DestinationDelisted(greatest);
        bridge.delistDestination(greatest);
        assertFalse(bridge.isDestinationListed(greatest));
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.DestinationNotListed.selector, greatest)
        );
        bridge.delistDestination(greatest);
        vm.stopPrank();
    }

    function test_listDestination_invalid_reverts() public {
        uint256 most = 2 ** 53 - 1;
        uint256[3] memory bad = [uint256(0), SOURCE, most + 1];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectChangeRefused(
                abi.encodeCall(bridge.listDestination, (bad[i])),
                abi.encodeWithSelector(IBridgeErrors.InvalidDestination.selector, bad[i], most)
            );
        }
    }

    function test_listDestination_256AtMost() public {
        uint256[] memory destinations = new uint256[](257);
        for (uint256 i = 0; i < 257; ++i) {
            destinations[i] = i + 1;
        }
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.ListFull.selector, 256));
        withDestinations(destinations);
        // Listing an entry twice doesn't take a second place.
        destinations[256] = 256;
        withDestinations(destinations);
    }

    function test_listPeriphery_andDelist() public {
        expectChangeRefused(
            abi.encodeCall(bridge.listPeriphery, (address(0))),
            abi.encodeWithSelector(IBridgeErrors.ZeroAddress.selector)
        );
        vm.startPrank(owner);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.PeripheryDelisted(periphery);
        bridge.delistPeriphery(periphery);
        assertFalse(bridge.isPeripheryListed(periphery));
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.PeripheryNotListed.selector, periphery)
        );
        bridge.delistPeriphery(periphery);
        vm.stopPrank();
    }

    function test_changeTreasury_takesTheFeesNotYetCollected() public {
        settle(deposited());
        bytes memory change = abi.encodeCall(bridge.changeTreasury, (anyone));
        vm.prank(owner);
        bridge.announce(change);
        vm.warp(block.timestamp + DELAY);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.TreasuryChanged(treasury, anyone);
        bridge.changeTreasury(anyone);
        bridge.collectFees(address(usdc));
        assertEq(balance(address(usdc), anyone), 25e6);
        expectChangeRefused(
            abi.encodeCall(bridge.changeTreasury, (address(0))),
            abi.encodeWithSelector(IBridgeErrors.ZeroAddress.selector)
        );
    }

    function test_pauseAndResumeCreation() public {
        vm.startPrank(owner);
        vm.expectRevert(IBridgeErrors.CreationIsNotPaused.selector);
        bridge.resumeCreation();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.CreationPaused();
        bridge.pauseCreation();
        assertTrue(bridge.creationPaused());
        vm.expectRevert(IBridgeErrors.CreationIsPaused.selector);
        bridge.pauseCreation();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.CreationResumed();
        bridge.resumeCreation();
        vm.stopPrank();
        create();
    }

    /// @dev Each way that an intent can end, and the credit that a refused payment becomes, after the
    ///      owner has used everything it may use at once, and a new treasury.
    function test_administration_leavesOpenIntentsAlone() public {
        vm.prank(owner);
        bridge.announce(abi.encodeCall(bridge.changeTreasury, (rival)));
        vm.warp(block.timestamp + DELAY);
        uint256 unpaid = deposited();
        uint256 won = deposited();
        uint256 led = withBid();
        uint256 refused = anchored();
        Intent memory before = intentOf(won);
        vm.startPrank(owner);
        bridge.changeTreasury(rival);
        bridge.pauseCreation();
        bridge.delistToken(address(usdc));
        bridge.delistDestination(DEST);
        bridge.delistPeriphery(periphery);
        vm.stopPrank();
        assertEq(abi.encode(intentOf(won)), abi.encode(before));
        uint256 had = balance(address(usdc), solver);
        settle(won);
        uint256 fee = AMOUNT * FEE_BPS / 10_000;
        assertEq(balance(address(usdc), solver), had + AMOUNT - fee + REWARD);
        had = balance(address(usdc), sender);
        vm.warp(endOf(led) + EXECUTION);
        refundUndelivered(unpaid);
        refund(led);
        assertEq(balance(address(usdc), sender), had + 2 * (AMOUNT + REWARD));
        usdc.blacklist(sender);
        vm.prank(sender);
        bridge.cancelIntent(refused);
        vm.prank(sender);
        bridge.claim(address(usdc), anyone);
        assertEq(balance(address(usdc), anyone), AMOUNT + REWARD);
    }

    function test_administration_isTheOwnersAlone() public {
        bytes[7] memory calls = [
            abi.encodeCall(bridge.announce, (abi.encodeCall(bridge.changeTreasury, (anyone)))),
            abi.encodeCall(bridge.withdrawChange, (bytes32(0))),
            abi.encodeCall(bridge.delistToken, (address(usdc))),
            abi.encodeCall(bridge.delistDestination, (DEST)),
            abi.encodeCall(bridge.delistPeriphery, (periphery)),
            abi.encodeCall(bridge.pauseCreation, ()),
            abi.encodeCall(bridge.resumeCreation, ())
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            expectRefused(
                calls[i],
                abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, anyone)
            );
        }
    }

    function test_ownership_movesInTwoSteps() public {
        vm.prank(owner);
        bridge.transferOwnership(anyone);
        assertEq(bridge.owner(), owner);
        vm.prank(anyone);
        bridge.acceptOwnership();
        assertEq(bridge.owner(), anyone);
    }

    function bare(address owner_, address treasury_, address registry_, address receiver) private {
        deploy(owner_, treasury_, registry_, receiver, new uint256[](0));
    }

    function withDestinations(uint256[] memory destinations) private {
        deploy(owner, treasury, address(registry), nobody, destinations);
    }

    function deploy(
        address owner_,
        address treasury_,
        address registry_,
        address receiver,
        uint256[] memory destinations
    ) private {
        Deployed.create(
            "BridgeIntentV2",
            abi.encode(
                owner_,
                treasury_,
                registry_,
                receiver,
                windows(),
                new TokenListing[](0),
                destinations,
                new address[](0)
            )
        );
    }

    function expectRefused(bytes memory call, bytes memory expected) private {
        vm.prank(anyone);
        (bool done, bytes memory reason) = address(bridge).call(call);
        assertFalse(done);
        assertEq(reason, expected);
    }

    /// @dev The change is announced and still refused once it can be enacted.
    function expectChangeRefused(bytes memory change, bytes memory expected) private {
        vm.prank(owner);
        bridge.announce(change);
        vm.warp(block.timestamp + DELAY);
        expectRefused(change, expected);
    }

    function notAnnounced(bytes memory change) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.NotAnnounced.selector, keccak256(change));
    }

    function assertListing(
        address token,
        bool listed,
        uint256 minEscrow,
        uint256 maxEscrow,
        uint8 quorum
    ) private view {
        (bool isListed, uint256 least, uint256 most, uint8 needed) = bridge.tokenListing(token);
        assertEq(isListed, listed);
        assertEq(least, minEscrow);
        assertEq(most, maxEscrow);
        assertEq(needed, quorum);
    }
}
