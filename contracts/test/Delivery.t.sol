// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {
    FeeOnTransferToken,
    HookedToken,
    MoodyToken,
    ReentrantToken
} from "./support/HostileTokens.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice solveIntent, on the destination chain.
contract DeliveryTest is BridgeFixture {
    uint256 private constant INTENT = (SOURCE << 64) | 1;
    bytes32 private constant TERMS = keccak256("paramsHash");

    address[] private recipients;
    uint256[] private amounts;

    function setUp() public override {
        super.setUp();
        vm.chainId(DEST);
        pay(recipient, 600e6);
        pay(anyone, 390e6);
    }

    function test_solve_paysEveryRecipient() public {
        uint256 id = (DEST << 64) | 1;
        uint256 before = balance(address(usdc), solver);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentSolved(id, SOURCE, INTENT, TERMS, solver, address(usdc), 990e6);
        assertEq(solve(), id);
        assertEq(balance(address(usdc), recipient), 600e6);
        assertEq(balance(address(usdc), anyone), 390e6);
        assertEq(before - balance(address(usdc), solver), 990e6);
        assertEq(balance(address(usdc), address(bridge)), 2 * STAKE);
        assertDelivery(keyOf(SOURCE, INTENT, TERMS, address(usdc), solver), 1);
        assertDelivery(keyOf(SOURCE + 1, INTENT, TERMS, address(usdc), solver), 0);
        assertDelivery(keyOf(SOURCE, INTENT + 1, TERMS, address(usdc), solver), 0);
        assertDelivery(keyOf(SOURCE, INTENT, 0, address(usdc), solver), 0);
        assertDelivery(keyOf(SOURCE, INTENT, TERMS, tokenB, solver), 0);
        assertDelivery(keyOf(SOURCE, INTENT, TERMS, address(usdc), rival), 0);
        amounts[0] -= 1;
        assertDelivery(keyOf(SOURCE, INTENT, TERMS, address(usdc), solver), 0);
    }

    function test_solve_namesNoRecipientInItsEvents() public {
        vm.recordLogs();
        solve();
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter != address(bridge)) continue;
            assertEq(logs[i].topics[0], IBridgeEvents.IntentSolved.selector);
            (bytes32 terms, address by, address token, uint256 sum) =
                abi.decode(logs[i].data, (bytes32, address, address, uint256));
            assertEq(terms, TERMS);
            assertEq(by, solver);
            assertEq(token, address(usdc));
            assertEq(sum, 990e6);
        }
    }

    function test_solve_countsDeliveriesApartFromIntents() public {
        solve();
        vm.prank(rival);
        uint256 second = bridge.solveIntent(
            SOURCE, INTENT, TERMS, address(usdc), recipients, amounts, block.timestamp
        );
        assertEq(second, (DEST << 64) | 2);
        assertEq(bridge.getLatestIntentId(), 0);
    }

    function test_solve_theSameRecipientTwice() public {
        pay(recipient, 1);
        solve();
        assertEq(balance(address(usdc), recipient), 600e6 + 1);
    }

    /// @dev A sender who names the winner as the recipient must not make it lose its bond.
    function test_solve_toOneself() public {
        pay(solver, 5e6);
        uint256 before = balance(address(usdc), solver);
        solve();
        assertEq(before - balance(address(usdc), solver), 990e6);
    }

    function test_solve_mostRecipients() public {
        delete recipients;
        delete amounts;
        for (uint160 i = 1; i <= 200; ++i) {
            pay(address(i << 64), i);
        }
        solve();
        assertEq(balance(address(usdc), address(uint160(200) << 64)), 200);
    }

    function test_solve_twice_reverts() public {
        uint256 id = solve();
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AlreadySolved.selector, id));
        solve();
    }

    function test_solve_idOfAnotherChain_reverts() public {
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.ForeignIntentId.selector, INTENT, SOURCE + 1)
        );
        vm.prank(solver);
        bridge.solveIntent(
            SOURCE + 1, INTENT, TERMS, address(usdc), recipients, amounts, block.timestamp
        );
    }

    function test_solve_recipientCount_reverts() public {
        amounts.push(1);
        expectCount(2, 3);
        recipients.push(anyone);
        recipients.push(anyone);
        expectCount(4, 3);
        delete recipients;
        delete amounts;
        expectCount(0, 0);
        for (uint160 i = 1; i <= 201; ++i) {
            pay(address(i << 64), 1);
        }
        expectCount(201, 201);
    }

    function test_solve_zeroRecipient_reverts() public {
        pay(address(0), 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.InvalidRecipient.selector, 2));
        solve();
        recipients[2] = address(bridge);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.InvalidRecipient.selector, 2));
        solve();
    }

    function test_solve_zeroAmount_reverts() public {
        pay(sender, 0);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.ZeroAmount.selector, 2));
        solve();
    }

    function test_solve_feeOnTransfer_reverts() public {
        FeeOnTransferToken token = new FeeOnTransferToken();
        fund(address(token), solver);
        token.setTakesFee(true);
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.TransferShort.selector, address(token), 600e6, 594e6
            )
        );
        vm.prank(solver);
        bridge.solveIntent(
            SOURCE, INTENT, TERMS, address(token), recipients, amounts, block.timestamp
        );
    }

    /// @dev Naming a recipient that the token refuses can't make a winner lose its bond.
    function test_solve_blacklistedRecipient_isCredited() public {
        usdc.blacklist(anyone);
        uint256 before = balance(address(usdc), solver);
        uint256 id = (DEST << 64) | 1;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentSolved(id, SOURCE, INTENT, TERMS, solver, address(usdc), 990e6);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.DeliveryCredited(id, address(usdc), 390e6);
        assertEq(solve(), id);
        assertEq(before - balance(address(usdc), solver), 990e6);
        assertEq(balance(address(usdc), recipient), 600e6);
        assertEq(balance(address(usdc), address(bridge)), 2 * STAKE + 390e6);
        assertEq(bridge.claimableDelivery(anyone, address(usdc)), 390e6);
        assertEq(bridge.claimable(anyone, address(usdc)), 0, "not the owner's to send elsewhere");
        assertDelivery(keyOf(SOURCE, INTENT, TERMS, address(usdc), solver), 1);

        vm.expectRevert("Blacklistable: account is blacklisted");
        bridge.claimDelivery(anyone, address(usdc));
        usdc.unBlacklist(anyone);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.DeliveryClaimed(anyone, address(usdc), 390e6);
        vm.prank(rival);
        bridge.claimDelivery(anyone, address(usdc));
        assertEq(balance(address(usdc), anyone), 390e6);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.NothingOwed.selector, anyone, address(usdc))
        );
        bridge.claimDelivery(anyone, address(usdc));
    }

    function test_solve_creditsOfOneRecipientAddUp() public {
        usdc.blacklist(anyone);
        pay(anyone, 10e6);
        solve();
        vm.prank(rival);
        bridge.solveIntent(
            SOURCE, INTENT, TERMS, address(usdc), recipients, amounts, block.timestamp
        );
        assertEq(bridge.claimableDelivery(anyone, address(usdc)), 800e6);
    }

    function test_solve_everybodyRefused() public {
        usdc.blacklist(anyone);
        usdc.blacklist(recipient);
        solve();
        assertEq(bridge.claimableDelivery(recipient, address(usdc)), 600e6);
        assertEq(balance(address(usdc), address(bridge)), 2 * STAKE + 990e6);
    }

    /// @dev However a token refuses, the delivery goes on, at a bounded cost.
    function test_solve_whateverTheTokenAnswers() public {
        MoodyToken token = new MoodyToken();
        fund(address(token), solver);
        token.setRefusedReceiver(anyone);
        for (uint8 mood = 1; mood <= uint8(type(MoodyToken.Mood).max); ++mood) {
            token.setMood(MoodyToken.Mood(mood));
            amounts[0] += 1;
            uint256 gasBefore = gasleft();
            vm.prank(solver);
            bridge.solveIntent(
                SOURCE, INTENT, TERMS, address(token), recipients, amounts, block.timestamp
            );
            assertLt(gasBefore - gasleft(), 600_000);
            assertEq(bridge.claimableDelivery(anyone, address(token)), uint256(390e6) * mood);
        }
    }

    /// @dev At every gas limit an honest token pays, or nothing happens: a solver can't send too
    ///      little gas and leave the recipients to claim.
    function testFuzz_solve_anyGas_neverCreditsAnHonestToken(uint256 gasLimit) public {
        gasLimit = bound(gasLimit, 21_000, 900_000);
        bytes memory call = abi.encodeCall(
            bridge.solveIntent,
            (SOURCE, INTENT, TERMS, address(usdc), recipients, amounts, block.timestamp)
        );
        vm.prank(solver);
        (bool done,) = address(bridge).call{gas: gasLimit}(call);
        assertEq(balance(address(usdc), recipient), done ? 600e6 : 0);
        assertEq(bridge.claimableDelivery(recipient, address(usdc)), 0);
        assertEq(bridge.claimableDelivery(anyone, address(usdc)), 0);
    }

    /// @dev Nor can it with a token that refuses for lack of gas and leaves enough for the credit.
    function test_solve_withTooLittleGas_revertsInsteadOfCrediting() public {
        HookedToken token = new HookedToken();
        fund(address(token), solver);
        token.setHooked(anyone);
        bytes memory call = abi.encodeCall(
            bridge.solveIntent,
            (SOURCE, INTENT, TERMS, address(token), recipients, amounts, block.timestamp)
        );
        for (uint256 gasLimit = 200_000; gasLimit < 400_000; gasLimit += 20_000) {
            vm.prank(solver);
            (bool done, bytes memory reason) = address(bridge).call{gas: gasLimit}(call);
            assertFalse(done);
            assertEq(bytes4(reason), IBridgeErrors.InsufficientGas.selector);
        }
        vm.prank(solver);
        (bool paid,) = address(bridge).call{gas: 600_000}(call);
        assertTrue(paid);
        assertEq(balance(address(token), anyone), 390e6);
        assertEq(bridge.claimableDelivery(anyone, address(token)), 0);
    }

    /// @dev Only the token can refuse: a solver with too little pays nobody.
    function test_solve_withoutTheTokens_reverts() public {
        vm.prank(solver);
        usdc.approve(address(bridge), 989e6);
        vm.expectPartialRevert(IERC20Errors.ERC20InsufficientAllowance.selector);
        solve();
        assertEq(balance(address(usdc), recipient), 0);
        assertEq(bridge.claimableDelivery(anyone, address(usdc)), 0);
    }

    function test_solve_creditsThatArriveShort_revert() public {
        MoodyToken token = new MoodyToken();
        fund(address(token), solver);
        token.setRefusedReceiver(anyone);
        token.setMood(MoodyToken.Mood.Reverts);
        vm.prank(solver);
        token.approve(address(bridge), 700e6);
        vm.expectPartialRevert(IERC20Errors.ERC20InsufficientAllowance.selector);
        vm.prank(solver);
        bridge.solveIntent(
            SOURCE, INTENT, TERMS, address(token), recipients, amounts, block.timestamp
        );
    }

    function test_solve_tokenWithoutCode_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotAContract.selector, tokenB));
        vm.prank(solver);
        bridge.solveIntent(SOURCE, INTENT, TERMS, tokenB, recipients, amounts, block.timestamp);
    }

    /// @dev Inclusive, unlike an intent's `fillDeadline`: winners pass one second less.
    function test_solve_atTheDeadline() public {
        uint256 deadline = block.timestamp + 60;
        vm.warp(deadline);
        vm.prank(solver);
        bridge.solveIntent(SOURCE, INTENT, TERMS, address(usdc), recipients, amounts, deadline);
        assertEq(balance(address(usdc), recipients[0]), amounts[0]);
    }

    function test_solve_pastTheDeadline_reverts() public {
        uint256 deadline = block.timestamp;
        vm.warp(deadline + 1);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.DeadlinePassed.selector, deadline));
        vm.prank(solver);
        bridge.solveIntent(SOURCE, INTENT, TERMS, address(usdc), recipients, amounts, deadline);
    }

    function test_claimDelivery_falseReturned_keepsTheCredit() public {
        MoodyToken token = new MoodyToken();
        fund(address(token), solver);
        token.setRefusedReceiver(anyone);
        token.setMood(MoodyToken.Mood.ReturnsFalse);
        vm.prank(solver);
        bridge.solveIntent(
            SOURCE, INTENT, TERMS, address(token), recipients, amounts, block.timestamp
        );
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.TransferRefused.selector, address(token))
        );
        bridge.claimDelivery(anyone, address(token));
        assertEq(bridge.claimableDelivery(anyone, address(token)), 390e6);
    }

    /// @dev Addresses with dirty upper bytes would give the same recipients another key.
    function test_solve_dirtyAddresses_revert() public {
        bytes memory call = abi.encodeCall(
            bridge.solveIntent,
            (SOURCE, INTENT, TERMS, address(usdc), recipients, amounts, block.timestamp)
        );
        // Selector, seven words, the recipients' count: the next byte is the first one's highest.
        call[4 + 7 * 32 + 32] = 0x01;
        vm.prank(solver);
        (bool done,) = address(bridge).call(call);
        assertFalse(done);
    }

    function test_solve_reentered_isRefused() public {
        ReentrantToken token = new ReentrantToken();
        fund(address(token), solver);
        bytes memory again = abi.encodeCall(
            bridge.solveIntent,
            (SOURCE, INTENT, TERMS, address(token), recipients, amounts, block.timestamp)
        );
        token.arm(address(bridge), again);
        vm.prank(solver);
        bridge.solveIntent(
            SOURCE, INTENT, TERMS, address(token), recipients, amounts, block.timestamp
        );
        assertFalse(token.succeeded());
        assertEq(
            bytes4(token.answer()), ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
        );
    }

    function pay(address to, uint256 amount) private {
        recipients.push(to);
        amounts.push(amount);
    }

    function solve() private returns (uint256) {
        vm.prank(solver);
        return bridge.solveIntent(
            SOURCE, INTENT, TERMS, address(usdc), recipients, amounts, block.timestamp
        );
    }

    function keyOf(
        uint256 sourceChainId,
        uint256 intentId,
        bytes32 terms,
        address token,
        address by
    ) private view returns (bytes32) {
        bytes32 hash = keccak256(abi.encode(recipients, amounts));
        return keccak256(abi.encode(sourceChainId, intentId, terms, token, by, hash));
    }

    function assertDelivery(bytes32 key, uint64 expected) private view {
        (uint64 sequence, uint64 solvedAt) = bridge.deliveryAt(key);
        assertEq(sequence, expected);
        assertEq(solvedAt, expected == 0 ? 0 : block.timestamp);
    }

    function expectCount(uint256 given, uint256 amountsGiven) private {
        vm.expectRevert(
            abi.encodeWithSelector(
                IBridgeErrors.RecipientCountInvalid.selector, given, amountsGiven, 200
            )
        );
        solve();
    }
}
