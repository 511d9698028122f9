// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../src/BridgeIntentV2.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {FeeOnTransferToken, ReentrantToken} from "./support/HostileTokens.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice solveIntent, on the destination chain.
contract DeliveryTest is BridgeFixture {
    uint256 private constant INTENT = (SOURCE << 64) | 1;

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
        emit IBridgeEvents.IntentSolved(id, SOURCE, INTENT, solver, address(usdc), 990e6);
        assertEq(solve(), id);
        assertEq(balance(address(usdc), recipient), 600e6);
        assertEq(balance(address(usdc), anyone), 390e6);
        assertEq(before - balance(address(usdc), solver), 990e6);
        assertEq(balance(address(usdc), address(bridge)), 0);
        assertEq(bridge.deliveryOf(SOURCE, INTENT, solver), id);
        assertEq(bridge.deliveryOf(SOURCE, INTENT, rival), 0);
        assertEq(bridge.deliveryOf(SOURCE, INTENT + 1, solver), 0);
        assertEq(bridge.deliveryOf(SOURCE + 1, INTENT, solver), 0);
    }

    function test_solve_namesNoRecipientInItsEvents() public {
        vm.recordLogs();
        solve();
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter != address(bridge)) continue;
            assertEq(logs[i].topics[0], IBridgeEvents.IntentSolved.selector);
            (address by, address token, uint256 sum) =
                abi.decode(logs[i].data, (address, address, uint256));
            assertEq(by, solver);
            assertEq(token, address(usdc));
            assertEq(sum, 990e6);
        }
    }

    function test_solve_countsDeliveriesApartFromIntents() public {
        solve();
        vm.prank(rival);
        uint256 second = bridge.solveIntent(SOURCE, INTENT, address(usdc), recipients, amounts);
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
        bridge.solveIntent(SOURCE + 1, INTENT, address(usdc), recipients, amounts);
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
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.ZeroRecipient.selector, 2));
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
        bridge.solveIntent(SOURCE, INTENT, address(token), recipients, amounts);
    }

    function test_solve_blacklistedRecipient_revertsAndCanBeRepeated() public {
        usdc.blacklist(anyone);
        vm.expectRevert("Blacklistable: account is blacklisted");
        solve();
        usdc.unBlacklist(anyone);
        assertEq(solve(), (DEST << 64) | 1);
    }

    function test_solve_reentered_isRefused() public {
        ReentrantToken token = new ReentrantToken();
        fund(address(token), solver);
        bytes memory again = abi.encodeCall(
            bridge.solveIntent, (SOURCE, INTENT, address(token), recipients, amounts)
        );
        token.arm(address(bridge), again);
        vm.prank(solver);
        bridge.solveIntent(SOURCE, INTENT, address(token), recipients, amounts);
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
        return bridge.solveIntent(SOURCE, INTENT, address(usdc), recipients, amounts);
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
