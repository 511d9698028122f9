// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Anchor, Append, Phase} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Anchors, further blobs, the sender's own naming.
contract NamingTest is BridgeFixture {
    function test_anchorIntent_fixesTierAndClass() public {
        uint256 id = create();
        Anchor memory given = anchorOf(id, hex"01bb");
        (given.feeBps, given.recipientClass) = (700, 256);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentAnchored(id, 700, 256, hex"01bb");
        anchor(given, hex"01bb");
        assertEq(intentOf(id).feeBps, 700);
        assertEq(intentOf(id).recipientClass, 256);
        bytes32 hash = keccak256(abi.encode(bytes32(0), uint8(2), keccak256(hex"01bb")));
        assertEq(intentOf(id).blobsHash, hash);
    }

    function test_anchorIntent_everyClass() public {
        for (uint16 class = 1; class <= 256; class *= 2) {
            uint256 id = create();
            Anchor memory given = anchorOf(id, BLOB);
            given.recipientClass = class;
            anchor(given, BLOB);
            assertEq(intentOf(id).recipientClass, class);
        }
    }

    function test_anchorIntent_otherClasses_revert() public {
        uint256 id = create();
        uint16[6] memory bad = [uint16(0), 3, 5, 255, 257, 512];
        for (uint256 i = 0; i < bad.length; ++i) {
            Anchor memory given = anchorOf(id, BLOB);
            given.recipientClass = bad[i];
            expectAnchorRefused(
                given,
                BLOB,
                abi.encodeWithSelector(IBridgeErrors.RecipientClassUnknown.selector, bad[i], 256)
            );
        }
    }

    function test_anchorIntent_otherFees_revert() public {
        uint256 id = create();
        uint16[5] memory bad = [uint16(0), 249, 251, 699, 701];
        for (uint256 i = 0; i < bad.length; ++i) {
            Anchor memory given = anchorOf(id, BLOB);
            given.feeBps = bad[i];
            expectAnchorRefused(
                given,
                BLOB,
                abi.encodeWithSelector(IBridgeErrors.FeeTierUnknown.selector, bad[i], 250, 700)
            );
        }
    }

    /// @dev Recipients are final from firmAt on: a late anchor can't sell the last seconds.
    function test_anchorIntent_untilFirm() public {
        uint256 id = create();
        uint256 firmAt = endOf(id) - FIRM;
        assertEq(intentOf(id).firmAt, firmAt);
        vm.warp(firmAt);
        expectAnchorRefused(anchorOf(id, BLOB), BLOB, firm(firmAt));
        vm.warp(firmAt - 1);
        anchor(id);
        assertEq(intentOf(id).feeBps, 250);
    }

    function test_firmAt_isTheLastThirdOfAShortAuction() public {
        vm.prank(sender);
        uint256 id = bridge.createIntent(address(usdc), tokenB, AMOUNT, 1, 0, DEST, 62);
        assertEq(intentOf(id).firmAt, endOf(id) - 20);
    }

    function test_anchorIntent_withoutBlobIfCreationHadOne() public {
        vm.prank(periphery);
        uint256 id = bridge.createIntentFor(
            sender, address(usdc), tokenB, AMOUNT, EXPECTED, 0, DEST, DURATION, BLOB
        );
        bytes32 first = keccak256(abi.encode(bytes32(0), uint8(1), keccak256(BLOB)));
        assertEq(intentOf(id).blobsHash, first);
        anchor(anchorOf(id, ""), "");
        bytes32 second = keccak256(abi.encode(first, uint8(2), keccak256("")));
        assertEq(intentOf(id).blobsHash, second, "an empty one counts too");
    }

    /// @dev The sender's own naming doesn't replace the creation's blob: an enclave's key id is
    ///      read from the anchor's or the creation's.
    function test_anchorIntent_withoutAnyBlob_reverts() public {
        uint256 id = create();
        vm.prank(sender);
        bridge.nameRecipients(id, BLOB);
        expectAnchorRefused(
            anchorOf(id, ""), "", abi.encodeWithSelector(IBridgeErrors.BlobRequired.selector, id)
        );
    }

    function test_anchorIntent_twice_reverts() public {
        uint256 id = anchored();
        expectAnchorRefused(
            anchorOf(id, BLOB),
            BLOB,
            abi.encodeWithSelector(IBridgeErrors.AlreadyAnchored.selector, id, 250)
        );
    }

    function test_anchorIntent_otherTermsOrBlobs_revert() public {
        uint256 id = create();
        Anchor memory given = anchorOf(id, BLOB);
        bytes32 right = given.paramsHash;
        given.paramsHash = keccak256("a reorg put another intent here");
        expectAnchorRefused(given, BLOB, wrongParams(given.paramsHash, right));
        given = anchorOf(id, BLOB);
        given.blobsHashBefore = keccak256("other blobs");
        expectAnchorRefused(given, BLOB, wrongBlobs(given.blobsHashBefore, 0));
    }

    function test_anchorIntent_anotherFieldThanSigned_reverts() public {
        uint256 id = create();
        Anchor memory given = anchorOf(id, BLOB);
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.anchorIntent(id, given.paramsHash, 0, 700, CLASS, BLOB, signature);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.anchorIntent(id, given.paramsHash, 0, FEE_BPS, 8, BLOB, signature);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.anchorIntent(id, given.paramsHash, 0, FEE_BPS, CLASS, hex"01ab", signature);
        bridge.anchorIntent(id, given.paramsHash, 0, FEE_BPS, CLASS, BLOB, signature);
    }

    function test_anchorIntent_byAnUnregisteredKey_reverts() public {
        uint256 id = create();
        Anchor memory given = anchorOf(id, BLOB);
        bytes memory signature = signed(address(bridge), given, operator);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, operator.addr)
        );
        bridge.anchorIntent(id, given.paramsHash, 0, FEE_BPS, CLASS, BLOB, signature);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, address(0))
        );
        bridge.anchorIntent(id, given.paramsHash, 0, FEE_BPS, CLASS, BLOB, hex"1234");
    }

    function test_anchorIntent_unknownOrClosed_reverts() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, id + 1));
        bridge.anchorIntent(id + 1, 0, 0, FEE_BPS, CLASS, BLOB, "");
        vm.prank(sender);
        bridge.cancelIntent(id);
        bytes memory reason = abi.encodeWithSelector(
            IBridgeErrors.WrongPhase.selector, id, Phase.Cancelled, Phase.Open
        );
        expectAnchorRefused(anchorOf(id, BLOB), BLOB, reason);
    }

    function test_blobs_atMost16384Bytes() public {
        bytes memory most = new bytes(16_384);
        bytes memory tooLong = new bytes(16_385);
        bytes memory reason =
            abi.encodeWithSelector(IBridgeErrors.BlobTooLong.selector, 16_385, 16_384);
        uint256 id = create();
        expectAnchorRefused(anchorOf(id, tooLong), tooLong, reason);
        anchor(anchorOf(id, most), most);
        vm.expectRevert(reason);
        vm.prank(sender);
        bridge.nameRecipients(id, tooLong);
        vm.prank(sender);
        bridge.nameRecipients(id, most);
        append(id, most);
        vm.warp(endOf(id));
        Append memory given =
            Append(id, intentOf(id).paramsHash, intentOf(id).blobsHash, keccak256(tooLong));
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.expectRevert(reason);
        bridge.appendBlob(id, given.paramsHash, given.blobsHashBefore, tooLong, signature);
        vm.expectRevert(reason);
        vm.prank(periphery);
        bridge.createIntentFor(
            sender, address(usdc), tokenB, AMOUNT, EXPECTED, 0, DEST, DURATION, tooLong
        );
    }

    function test_appendBlob_buildsOnWhatIsThere() public {
        uint256 id = anchored();
        bytes32 before = intentOf(id).blobsHash;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BlobAppended(id, 3, hex"0102");
        append(id, hex"0102");
        bytes32 hash = keccak256(abi.encode(before, uint8(3), keccak256(hex"0102")));
        assertEq(intentOf(id).blobsHash, hash);
    }

    function test_appendBlob_twice_reverts() public {
        uint256 id = anchored();
        Append memory given =
            Append(id, intentOf(id).paramsHash, intentOf(id).blobsHash, keccak256(hex"02"));
        append(given, hex"02");
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.expectRevert(wrongBlobs(given.blobsHashBefore, intentOf(id).blobsHash));
        bridge.appendBlob(id, given.paramsHash, given.blobsHashBefore, hex"02", signature);
    }

    /// @dev Recipients are final: a later blob is only an event, in any phase.
    function test_appendBlob_fromFirmOn_changesNothing() public {
        uint256 id = withBid();
        bytes32 before = intentOf(id).blobsHash;
        vm.warp(intentOf(id).firmAt);
        append(id, hex"02");
        assertEq(intentOf(id).blobsHash, before);
        vm.warp(endOf(id));
        deposit(id, solver, EXPECTED);
        append(id, hex"02");
        settle(id);
        append(id, hex"02");
        assertEq(intentOf(id).blobsHash, before);
    }

    function test_appendBlob_untilFirm() public {
        uint256 id = anchored();
        bytes32 before = intentOf(id).blobsHash;
        vm.warp(intentOf(id).firmAt - 1);
        append(id, hex"02");
        assertNotEq(intentOf(id).blobsHash, before);
    }

    function test_appendBlob_refusals() public {
        uint256 id = anchored();
        bytes32 terms = intentOf(id).paramsHash;
        bytes32 blobs = intentOf(id).blobsHash;
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, id + 1));
        bridge.appendBlob(id + 1, terms, blobs, hex"02", "");
        vm.expectRevert(wrongParams(keccak256("x"), terms));
        bridge.appendBlob(id, keccak256("x"), blobs, hex"02", "");
        bytes memory signature =
            signed(address(bridge), Append(id, terms, blobs, keccak256("")), enclave);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BlobRequired.selector, id));
        bridge.appendBlob(id, terms, blobs, "", signature);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.appendBlob(id, terms, blobs, hex"02", signature);
    }

    /// @dev A contract, or a sender that no relayer serves, names recipients by its own call.
    function test_nameRecipients_byTheSenderAlone() public {
        uint256 id = create();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotSender.selector, anyone, sender));
        vm.prank(anyone);
        bridge.nameRecipients(id, hex"03");
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.BlobAppended(id, 4, hex"03");
        vm.startPrank(sender);
        bridge.nameRecipients(id, hex"03");
        assertTrue(intentOf(id).named);
        bytes32 hash = keccak256(abi.encode(bytes32(0), uint8(4), keccak256(hex"03")));
        assertEq(intentOf(id).blobsHash, hash);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AlreadyNamed.selector, id));
        bridge.nameRecipients(id, hex"04");
        vm.stopPrank();
    }

    function test_nameRecipients_untilFirm() public {
        uint256 id = anchored();
        uint256 firmAt = intentOf(id).firmAt;
        vm.warp(firmAt);
        vm.startPrank(sender);
        vm.expectRevert(firm(firmAt));
        bridge.nameRecipients(id, hex"03");
        vm.warp(firmAt - 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.BlobRequired.selector, id));
        bridge.nameRecipients(id, "");
        bridge.nameRecipients(id, hex"03");
        vm.stopPrank();
        assertEq(intentOf(id).feeBps, FEE_BPS);
    }

    function expectAnchorRefused(Anchor memory given, bytes memory blob, bytes memory reason)
        private
    {
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.expectRevert(reason);
        bridge.anchorIntent(
            given.intentId,
            given.paramsHash,
            given.blobsHashBefore,
            given.feeBps,
            given.recipientClass,
            blob,
            signature
        );
    }

    function firm(uint256 firmAt) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.Firm.selector, firmAt);
    }

    function wrongParams(bytes32 given, bytes32 right) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.WrongParams.selector, given, right);
    }

    function wrongBlobs(bytes32 given, bytes32 right) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.WrongBlobs.selector, given, right);
    }
}
