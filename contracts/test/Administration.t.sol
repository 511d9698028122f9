// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../src/BridgeIntentV2.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {FeeOnTransferToken} from "./support/HostileTokens.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @notice Constructor, lists, roles and pause.
contract AdministrationTest is BridgeFixture {
    function test_constructor_setsTerms() public {
        vm.expectEmit();
        emit IBridgeEvents.BridgeDeployed(relayer, treasury, PICKUP, EXECUTION, GRACE + 1);
        BridgeIntentV2 fresh = new BridgeIntentV2(
            owner, relayer, treasury, address(registry), PICKUP, EXECUTION, GRACE + 1
        );
        assertEq(fresh.owner(), owner);
        assertEq(fresh.relayer(), relayer);
        assertEq(fresh.treasury(), treasury);
        assertEq(address(fresh.REGISTRY()), address(registry));
        assertEq(fresh.PICKUP_WINDOW(), PICKUP);
        assertEq(fresh.EXECUTION_WINDOW(), EXECUTION);
        assertEq(fresh.SETTLEMENT_GRACE(), GRACE + 1);
        assertEq(fresh.UNSHIELDED_FEE_BPS(), 250);
        assertEq(fresh.SHIELDED_FEE_BPS(), 700);
        assertEq(fresh.BOND_BPS(), 500);
        assertFalse(fresh.creationPaused());
    }

    function test_constructor_zeroAddresses_revert() public {
        address some = address(registry);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        new BridgeIntentV2(address(0), some, some, some, 1, 1, 1);
        vm.expectRevert(IBridgeErrors.ZeroAddress.selector);
        new BridgeIntentV2(owner, address(0), some, some, 1, 1, 1);
        vm.expectRevert(IBridgeErrors.ZeroAddress.selector);
        new BridgeIntentV2(owner, some, address(0), some, 1, 1, 1);
        vm.expectRevert(IBridgeErrors.ZeroAddress.selector);
        new BridgeIntentV2(owner, some, some, address(0), 1, 1, 1);
    }

    function test_constructor_zeroWindows_revert() public {
        address some = address(registry);
        vm.expectRevert(IBridgeErrors.ZeroWindow.selector);
        new BridgeIntentV2(owner, some, some, some, 0, 1, 1);
        vm.expectRevert(IBridgeErrors.ZeroWindow.selector);
        new BridgeIntentV2(owner, some, some, some, 1, 0, 1);
        vm.expectRevert(IBridgeErrors.ZeroWindow.selector);
        new BridgeIntentV2(owner, some, some, some, 1, 1, 0);
    }

    function test_listToken_listsAndChangesTheRange() public {
        address token = address(new FeeOnTransferToken());
        vm.startPrank(owner);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.TokenListed(token, 5, 9);
        bridge.listToken(token, 5, 9);
        assertListing(token, true, 5, 9);
        bridge.listToken(token, 1, type(uint96).max);
        assertListing(token, true, 1, type(uint96).max);
        vm.stopPrank();
    }

    function test_listToken_againKeepsOpenIntentsTokens() public {
        uint256 id = create();
        address other = address(new FeeOnTransferToken());
        list(other);
        vm.startPrank(owner);
        bridge.delistToken(address(usdc));
        bridge.listToken(address(usdc), 1, 2);
        vm.stopPrank();
        assertEq(bridge.getIntent(id).tokenA, address(usdc));
        assertEq(bridge.getIntent(createWith(other)).tokenA, other);
    }

    function test_listToken_badRange_reverts() public {
        uint256 most = type(uint96).max;
        uint256[2][3] memory bad = [[uint256(0), 5], [uint256(6), 5], [uint256(1), most + 1]];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(
                    IBridgeErrors.InvalidAmountRange.selector, bad[i][0], bad[i][1], most
                )
            );
            vm.prank(owner);
            bridge.listToken(address(usdc), bad[i][0], bad[i][1]);
        }
        vm.prank(owner);
        bridge.listToken(address(usdc), 5, 5);
        assertListing(address(usdc), true, 5, 5);
    }

    function test_listToken_withoutCode_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotAContract.selector, anyone));
        vm.prank(owner);
        bridge.listToken(anyone, 1, 2);
    }

    function test_delistToken_keepsItOutOfNewIntents() public {
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.TokenDelisted(address(usdc));
        vm.prank(owner);
        bridge.delistToken(address(usdc));
        assertListing(address(usdc), false, MIN_AMOUNT, MAX_AMOUNT);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.TokenNotListed.selector, address(usdc))
        );
        create();
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.TokenNotListed.selector, address(usdc))
        );
        vm.prank(owner);
        bridge.delistToken(address(usdc));
    }

    function test_listDestination_andDelist() public {
        vm.startPrank(owner);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.DestinationListed(2 ** 53 - 1);
        bridge.listDestination(2 ** 53 - 1);
        assertTrue(bridge.isDestinationListed(2 ** 53 - 1));
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.DestinationDelisted(2 ** 53 - 1);
        bridge.delistDestination(2 ** 53 - 1);
        assertFalse(bridge.isDestinationListed(2 ** 53 - 1));
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.DestinationNotListed.selector, 2 ** 53 - 1)
        );
        bridge.delistDestination(2 ** 53 - 1);
        vm.stopPrank();
    }

    function test_listDestination_invalid_reverts() public {
        uint256 most = 2 ** 53 - 1;
        uint256[3] memory bad = [uint256(0), SOURCE, most + 1];
        for (uint256 i = 0; i < bad.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IBridgeErrors.InvalidDestination.selector, bad[i], most)
            );
            vm.prank(owner);
            bridge.listDestination(bad[i]);
        }
    }

    function test_rotateRelayer_movesTheRoleAtOnce() public {
        uint256 id = create();
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.RelayerRotated(relayer, rival);
        vm.prank(owner);
        bridge.rotateRelayer(rival);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotRelayer.selector, relayer, rival));
        anchor(id);
        vm.prank(rival);
        bridge.anchorIntent(id, 250, hex"01");
        assertEq(bridge.getIntent(id).feeBps, 250);
    }

    function test_changeTreasury_takesTheFeesNotYetCollected() public {
        settle(deposited());
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.TreasuryChanged(treasury, anyone);
        vm.prank(owner);
        bridge.changeTreasury(anyone);
        bridge.collectFees(address(usdc));
        assertEq(balance(address(usdc), anyone), 25e6);
    }

    function test_roles_cannotBeZero() public {
        vm.startPrank(owner);
        vm.expectRevert(IBridgeErrors.ZeroAddress.selector);
        bridge.rotateRelayer(address(0));
        vm.expectRevert(IBridgeErrors.ZeroAddress.selector);
        bridge.changeTreasury(address(0));
        vm.stopPrank();
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

    function test_administration_isTheOwnersAlone() public {
        bytes[8] memory calls = [
            abi.encodeCall(bridge.listToken, (address(usdc), 1, 2)),
            abi.encodeCall(bridge.delistToken, (address(usdc))),
            abi.encodeCall(bridge.listDestination, (5)),
            abi.encodeCall(bridge.delistDestination, (DEST)),
            abi.encodeCall(bridge.rotateRelayer, (anyone)),
            abi.encodeCall(bridge.changeTreasury, (anyone)),
            abi.encodeCall(bridge.pauseCreation, ()),
            abi.encodeCall(bridge.resumeCreation, ())
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.prank(relayer);
            (bool done, bytes memory reason) = address(bridge).call(calls[i]);
            assertFalse(done);
            assertEq(
                reason, abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, relayer)
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

    function assertListing(address token, bool listed, uint256 minAmount, uint256 maxAmount)
        private
        view
    {
        (bool isListed, uint256 least, uint256 most) = bridge.tokenListing(token);
        assertEq(isListed, listed);
        assertEq(least, minAmount);
        assertEq(most, maxAmount);
    }
}
