// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Phase} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice Anchoring, blobs and bids.
contract AuctionTest is BridgeFixture {
    function test_anchorIntent_fixesTheFee() public {
        uint256 id = create();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentAnchored(id, 700, hex"01bb");
        vm.prank(relayer);
        bridge.anchorIntent(id, 700, hex"01bb");
        assertEq(bridge.getIntent(id).feeBps, 700);
    }

    function test_anchorIntent_untilTheLastSecond() public {
        uint256 id = create();
        vm.warp(endOf(id) - 1);
        anchor(id);
        assertEq(bridge.getIntent(id).feeBps, 250);
    }

    function test_anchorIntent_withoutBlobIfCreationHadOne() public {
        bytes memory blob = new bytes(512);
        blob[0] = 0x01;
        bytes memory plain = abi.encodeCall(
            bridge.createIntent, (address(usdc), tokenB, AMOUNT, EXPECTED, REWARD, DEST, DURATION)
        );
        vm.prank(sender);
        (bool created,) = address(bridge).call(bytes.concat(plain, blob));
        assertTrue(created);
        uint256 id = bridge.getLatestIntentId();
        vm.prank(relayer);
        bridge.anchorIntent(id, 250, "");
        assertEq(bridge.getIntent(id).feeBps, 250);
    }

    function test_anchorIntent_byOthers_reverts() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotRelayer.selector, owner, relayer));
        vm.prank(owner);
        bridge.anchorIntent(id, 250, hex"01");
    }

    function test_anchorIntent_otherFees_revert() public {
        uint256 id = create();
        uint16[5] memory bad = [uint16(0), 249, 251, 699, 701];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IBridgeErrors.FeeTierUnknown.selector, bad[i], 250, 700)
            );
            vm.prank(relayer);
            bridge.anchorIntent(id, bad[i], hex"01");
        }
    }

    function test_anchorIntent_twice_reverts() public {
        uint256 id = anchored();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AlreadyAnchored.selector, id, 250));
        vm.prank(relayer);
        bridge.anchorIntent(id, 700, hex"01");
    }

    function test_anchorIntent_afterTheAuction_reverts() public {
        uint256 id = create();
        uint256 endTime = endOf(id);
        vm.warp(endTime);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AuctionOver.selector, endTime));
        vm.prank(relayer);
        bridge.anchorIntent(id, 250, hex"01");
    }

    function test_anchorIntent_withoutAnyBlob_reverts() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BlobRequired.selector, id));
        vm.prank(relayer);
        bridge.anchorIntent(id, 250, "");
    }

    function test_anchorIntent_unknownOrClosed_reverts() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, id + 1));
        vm.prank(relayer);
        bridge.anchorIntent(id + 1, 250, hex"01");

        vm.prank(sender);
        bridge.cancelIntent(id);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.WrongPhase.selector, id, Phase.Cancelled, Phase.Open
            )
        );
        vm.prank(relayer);
        bridge.anchorIntent(id, 250, hex"01");
    }

    function test_appendBlob_inAnyPhase() public {
        uint256 id = create();
        append(id);
        vm.prank(sender);
        bridge.cancelIntent(id);
        append(id);
    }

    function test_appendBlob_byOthers_reverts() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotRelayer.selector, sender, relayer));
        vm.prank(sender);
        bridge.appendBlob(id, hex"01");
    }

    function test_appendBlob_unknownIntent_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, 5));
        vm.prank(relayer);
        bridge.appendBlob(5, hex"01");
    }

    function test_appendBlob_empty_reverts() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BlobRequired.selector, id));
        vm.prank(relayer);
        bridge.appendBlob(id, "");
    }

    function test_placeBid_leads() public {
        uint256 id = anchored();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BidPlaced(id, solver, EXPECTED);
        bid(id, solver, EXPECTED);
        Intent memory intent = bridge.getIntent(id);
        assertEq(intent.solver, solver);
        assertEq(intent.amountB, EXPECTED);
        assertEq(bridge.winnerOf(id), address(0));
    }

    function test_placeBid_aBetterOneTakesTheLead() public {
        uint256 id = withBid();
        bid(id, rival, EXPECTED + 1);
        assertEq(bridge.getIntent(id).solver, rival);
        assertEq(bridge.getIntent(id).amountB, EXPECTED + 1);
    }

    function test_placeBid_untilTheLastSecond() public {
        uint256 id = anchored();
        vm.warp(endOf(id) - 1);
        bid(id, solver, type(uint96).max);
        assertEq(bridge.getIntent(id).amountB, type(uint96).max);
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
    }

    function test_placeBid_tooHigh_reverts() public {
        uint256 id = anchored();
        uint256 most = type(uint96).max;
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BidTooHigh.selector, most + 1, most));
        bid(id, solver, most + 1);
    }

    function test_placeBid_notAnchored_reverts() public {
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

    function test_placeBid_unknownOrDeposited_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, 1));
        bid(1, solver, EXPECTED);
        uint256 id = deposited();
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.WrongPhase.selector, id, Phase.Deposited, Phase.Open
            )
        );
        bid(id, rival, EXPECTED + 1);
    }

    function append(uint256 id) private {
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BlobAppended(id, hex"01cc");
        vm.prank(relayer);
        bridge.appendBlob(id, hex"01cc");
    }
}
