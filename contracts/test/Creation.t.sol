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
        uint256 held = balance(address(usdc), address(bridge));
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
        assertEq(balance(address(usdc), address(bridge)) - held, AMOUNT + REWARD);

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
        assertEq(intent.auctionDuration, DURATION);
        assertEq(intent.firmAt, block.timestamp + DURATION - FIRM);
        assertEq(intent.recipientClass, 0);
        assertEq(intent.quorum, 1);
        assertEq(intent.blobsHash, 0);
        assertFalse(intent.named || intent.asked || intent.revealed);
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
        uint256 longest = longestDuration();
        vm.startPrank(sender);
        bridge.createIntent(address(usdc), tokenB, MIN_ESCROW, 1, 0, DEST, MIN_DURATION);
        uint256 id = bridge.createIntent(
            address(usdc), tokenB, MAX_ESCROW - 1, type(uint96).max, 1, DEST, longest
        );
        vm.stopPrank();
        assertEq(intentOf(id).expectedAmountB, type(uint96).max);
        assertEq(intentOf(id).endTime, block.timestamp + longest);
    }

    /// @dev A deposit in the last second of the longest auction still has a deadline of 32 bits.
    function test_createIntent_theLongestAuctionCanBeDeposited() public {
        uint256 longest = longestDuration();
        vm.prank(sender);
        uint256 id = bridge.createIntent(address(usdc), tokenB, AMOUNT, 1, 0, DEST, longest);
        anchor(id);
        bid(id, solver, 1);
        vm.warp(endOf(id) + 2 * PICKUP - 1);
        deposit(id, solver, 1);
        assertEq(intentOf(id).fillDeadline, type(uint32).max - 1);
    }

    function test_createIntent_acceptsTheGreatestEscrow() public {
        uint256 most = type(uint96).max;
        enact(abi.encodeCall(bridge.listToken, (address(usdc), 10_000, most, 1)));
        usdc.mint(sender, most);
        uint256 reward = most / 6;
        vm.prank(sender);
        uint256 id =
            bridge.createIntent(address(usdc), tokenB, most - reward, most, reward, DEST, DURATION);
        assertEq(intentOf(id).amountA, most - reward);
        assertEq(intentOf(id).reward, reward);
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

    /// @dev Minimum and maximum apply to the escrow: a reward can't carry an amount past
    ///      them.
    function test_createIntent_escrowOutOfRange_reverts() public {
        uint256[2][3] memory bad =
            [[MIN_ESCROW - 1, 0], [MAX_ESCROW + 1, 0], [MAX_ESCROW - 10, uint256(11)]];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectRefusal(
                abi.encodeWithSelector(
                    IBridgeErrors.AmountOutOfRange.selector,
                    bad[i][0] + bad[i][1],
                    MIN_ESCROW,
                    MAX_ESCROW
                )
            );
            offer(tokenB, bad[i][0], EXPECTED, bad[i][1], DEST, DURATION);
        }
        uint256 most = type(uint96).max;
        expectRefusal(
            abi.encodeWithSelector(
                IBridgeErrors.AmountOutOfRange.selector, type(uint256).max, 10_000, most
            )
        );
        offer(tokenB, type(uint256).max, EXPECTED, 0, DEST, DURATION);
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
        uint256 most = AMOUNT / 5;
        uint256[2] memory bad = [most + 1, type(uint256).max];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectRefusal(
                abi.encodeWithSelector(IBridgeErrors.RewardTooHigh.selector, bad[i], most)
            );
            offer(tokenB, AMOUNT, EXPECTED, bad[i], DEST, DURATION);
        }
        offer(tokenB, AMOUNT, EXPECTED, most, DEST, DURATION);
    }

    function test_createIntent_durationOutOfRange_reverts() public {
        uint256 longest = longestDuration();
        uint256[3] memory bad = [MIN_DURATION - 1, longest + 1, type(uint256).max];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectRefusal(
                abi.encodeWithSelector(
                    IBridgeErrors.AuctionDurationOutOfRange.selector, bad[i], MIN_DURATION, longest
                )
            );
            offer(tokenB, AMOUNT, EXPECTED, REWARD, DEST, bad[i]);
        }
    }

    function test_createIntentFor_thePeripheryPaysForTheUser() public {
        uint256 before = balance(address(usdc), periphery);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentCreated(
            (SOURCE << 64) | 1,
            sender,
            DEST,
            address(usdc),
            tokenB,
            AMOUNT,
            EXPECTED,
            REWARD,
            block.timestamp + DURATION,
            BLOB
        );
        uint256 id = createFor(sender);
        assertEq(before - balance(address(usdc), periphery), AMOUNT + REWARD);
        assertEq(intentOf(id).sender, sender);
        assertTrue(intentOf(id).blobAtCreation);
        vm.prank(sender);
        bridge.cancelIntent(id);
        assertEq(balance(address(usdc), sender), 1e18 + AMOUNT + REWARD);
    }

    function test_createIntentFor_byOthersOrForNobody_reverts() public {
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.ZeroAddress.selector));
        createFor(address(0));
        vm.prank(owner);
        bridge.delistPeriphery(periphery);
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.PeripheryNotListed.selector, periphery));
        createFor(sender);
    }

    function test_createIntentFor_keepsToTheSameRules() public {
        vm.prank(owner);
        bridge.pauseCreation();
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.CreationIsPaused.selector));
        createFor(sender);
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

    function createFor(address user) private returns (uint256) {
        vm.prank(periphery);
        return bridge.createIntentFor(
            user, address(usdc), tokenB, AMOUNT, EXPECTED, REWARD, DEST, DURATION, BLOB
        );
    }

    function longestDuration() private view returns (uint256) {
        return type(uint32).max - block.timestamp - 2 * PICKUP - EXECUTION;
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
