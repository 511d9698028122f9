// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Phase} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {FeeOnTransferToken} from "./support/HostileTokens.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

contract CreationTest is BridgeFixture {
    function test_createIntent_hasTheSpecifiedSelector() public view {
        bytes4 specified = bytes4(
            keccak256("createIntent(address,address,uint256,uint256,uint256,uint256,uint256)")
        );
        assertEq(bridge.createIntent.selector, specified);
    }

    function test_createIntent_pullsStoresAndAnnounces() public {
        uint256 before = balance(address(usdc), sender);
        uint256 id = (SOURCE << 64) | 1;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentCreated(
            id,
            sender,
            DEST,
            address(usdc),
            tokenB,
            AMOUNT,
            EXPECTED,
            REWARD,
            block.timestamp + DURATION,
            ""
        );
        assertEq(create(), id);
        assertEq(before - balance(address(usdc), sender), AMOUNT + REWARD);
        assertEq(balance(address(usdc), address(bridge)), AMOUNT + REWARD);

        Intent memory intent = bridge.getIntent(id);
        assertEq(intent.sender, sender);
        assertEq(intent.tokenA, address(usdc));
        assertEq(intent.tokenB, tokenB);
        assertEq(intent.amountA, AMOUNT);
        assertEq(intent.expectedAmountB, EXPECTED);
        assertEq(intent.reward, REWARD);
        assertEq(intent.destChainId, DEST);
        assertEq(intent.endTime, block.timestamp + DURATION);
        assertEq(uint8(intent.phase), uint8(Phase.Open));
        assertEq(intent.feeBps, 0);
        assertFalse(intent.blobAtCreation);
        assertEq(intent.solver, address(0));
        assertEq(intent.amountB, 0);
        assertEq(intent.bond, 0);
        assertEq(intent.fillDeadline, 0);
        assertEq(bridge.winnerOf(id), address(0));
    }

    function test_createIntent_storesTheTokenOfEachIntent() public {
        address other = address(new FeeOnTransferToken());
        list(other);
        assertEq(bridge.getIntent(create()).tokenA, address(usdc));
        assertEq(bridge.getIntent(createWith(other)).tokenA, other);
    }

    function test_getLatestIntentId_countsStrictlyFromOne() public {
        assertEq(bridge.getLatestIntentId(), 0);
        for (uint256 sequence = 1; sequence <= 3; ++sequence) {
            assertEq(create(), (SOURCE << 64) | sequence);
            assertEq(bridge.getLatestIntentId(), (SOURCE << 64) | sequence);
        }
    }

    function test_getIntent_isEmptyForUnknownIds() public view {
        Intent memory none;
        assertEq(
            keccak256(abi.encode(bridge.getIntent((SOURCE << 64) | 1))), keccak256(abi.encode(none))
        );
    }

    function test_createIntent_acceptsTheBounds() public {
        vm.startPrank(sender);
        bridge.createIntent(address(usdc), tokenB, MIN_AMOUNT, 1, 0, DEST, 20);
        bridge.createIntent(address(usdc), tokenB, MAX_AMOUNT, type(uint96).max, 1, DEST, 24 hours);
        vm.stopPrank();
        assertEq(bridge.getIntent(bridge.getLatestIntentId()).expectedAmountB, type(uint96).max);
    }

    function test_createIntent_acceptsTheGreatestAmountAndReward() public {
        uint256 most = type(uint96).max;
        vm.prank(owner);
        bridge.listToken(address(usdc), 1, most);
        usdc.mint(sender, 2 * most);
        vm.prank(sender);
        uint256 id = bridge.createIntent(address(usdc), tokenB, most, most, most, DEST, DURATION);
        assertEq(bridge.getIntent(id).amountA, most);
        assertEq(bridge.getIntent(id).reward, most);
        assertEq(balance(address(usdc), address(bridge)), 2 * most);
    }

    function test_createIntent_whilePaused_reverts() public {
        vm.prank(owner);
        bridge.pauseCreation();
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.CreationIsPaused.selector));
        create();
    }

    function test_createIntent_unlistedToken_reverts() public {
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.TokenNotListed.selector, tokenB));
        createWith(tokenB);
    }

    function test_createIntent_unlistedDestination_reverts() public {
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.DestinationNotListed.selector, 1));
        offer(tokenB, AMOUNT, EXPECTED, REWARD, 1, DURATION);
    }

    function test_createIntent_withoutTokenB_reverts() public {
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.TokenBRequired.selector));
        offer(address(0), AMOUNT, EXPECTED, REWARD, DEST, DURATION);
    }

    function test_createIntent_amountOutOfRange_reverts() public {
        uint256[2] memory bad = [MIN_AMOUNT - 1, MAX_AMOUNT + 1];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectRefusal(
                abi.encodeWithSelector(
                    IBridgeErrors.AmountOutOfRange.selector, bad[i], MIN_AMOUNT, MAX_AMOUNT
                )
            );
            offer(tokenB, bad[i], EXPECTED, REWARD, DEST, DURATION);
        }
    }

    function test_createIntent_expectedAmountOutOfRange_reverts() public {
        uint256 most = type(uint96).max;
        uint256[2] memory bad = [uint256(0), most + 1];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectRefusal(
                abi.encodeWithSelector(
                    IBridgeErrors.ExpectedAmountOutOfRange.selector, bad[i], 1, most
                )
            );
            offer(tokenB, AMOUNT, bad[i], REWARD, DEST, DURATION);
        }
    }

    function test_createIntent_rewardTooHigh_reverts() public {
        uint256 most = type(uint96).max;
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.RewardTooHigh.selector, most + 1, most));
        offer(tokenB, AMOUNT, EXPECTED, most + 1, DEST, DURATION);
    }

    function test_createIntent_durationOutOfRange_reverts() public {
        uint256[2] memory bad = [uint256(19), 24 hours + 1];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectRefusal(
                abi.encodeWithSelector(
                    IBridgeErrors.AuctionDurationOutOfRange.selector, bad[i], 20, 24 hours
                )
            );
            offer(tokenB, AMOUNT, EXPECTED, REWARD, DEST, bad[i]);
        }
    }

    function test_createIntent_withoutAllowance_reverts() public {
        uint256 needed = AMOUNT + REWARD;
        vm.prank(sender);
        usdc.approve(address(bridge), needed - 1);
        expectRefusal(
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector,
                address(bridge),
                needed - 1,
                needed
            )
        );
        create();
    }

    function test_createIntent_withoutBalance_reverts() public {
        uint256 all = balance(address(usdc), sender);
        vm.prank(sender);
        usdc.transfer(anyone, all);
        expectRefusal(
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientBalance.selector, sender, 0, AMOUNT + REWARD
            )
        );
        create();
    }

    function test_createIntent_feeOnTransfer_reverts() public {
        FeeOnTransferToken token = new FeeOnTransferToken();
        list(address(token));
        token.setTakesFee(true);
        uint256 asked = AMOUNT + REWARD;
        expectRefusal(
            abi.encodeWithSelector(
                IBridgeErrors.TransferShort.selector, address(token), asked, asked - asked / 100
            )
        );
        createWith(address(token));
    }

    function test_createIntent_aRefusedCallUsesUpNoId() public {
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.TokenNotListed.selector, tokenB));
        createWith(tokenB);
        assertEq(create(), (SOURCE << 64) | 1);
    }

    function expectRefusal(bytes memory reason) private {
        vm.expectRevert(reason);
    }

    function offer(
        address tokenB_,
        uint256 amountA,
        uint256 expectedAmountB,
        uint256 reward,
        uint256 destChainId,
        uint256 duration
    ) private {
        vm.prank(sender);
        bridge.createIntent(
            address(usdc), tokenB_, amountA, expectedAmountB, reward, destChainId, duration
        );
    }
}
