// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {TokenListing} from "../../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../../src/interfaces/IBridgeErrors.sol";
import {FundingRequest, IOrderVault, Order, OrderTerms} from "../../src/interfaces/IOrderVault.sol";
import {FeeOnTransferToken, MoodyToken, ReentrantToken} from "../support/HostileTokens.sol";
import {VaultFixture} from "../support/VaultFixture.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @notice The way out, with every service dead unless a test says otherwise.
contract OrderClosingTest is VaultFixture {
    bytes32 internal order;
    uint256 internal end;

    function setUp() public override {
        super.setUp();
        order = funded();
        end = vault.getOrder(order).endTime;
    }

    function close(address by) internal {
        vm.prank(by);
        vault.closeOrder(order);
    }

    function expectClosed(uint256 amount, uint8 reason) internal {
        vm.expectEmit(address(vault));
        emit IOrderVault.OrderClosed(order, owner.addr, amount, reason);
    }

    function notOpen() internal view returns (bytes memory) {
        return abi.encodeWithSelector(IOrderVault.OrderNotOpen.selector, order);
    }

    function test_theOwnerAtAnyTime() public {
        uint256 before = balance(address(usdc), owner.addr);
        expectClosed(TOTAL, 2);
        close(owner.addr);
        assertEq(balance(address(usdc), owner.addr), before + TOTAL);
        Order memory now_ = vault.getOrder(order);
        assertTrue(now_.closed);
        assertEq(now_.left, 0);
        assertEq(vault.nextTrancheAt(order), 0);
    }

    function test_theOwnerAfterSomeTranches() public {
        fire(order, 0);
        vm.warp(block.timestamp + PERIOD);
        fire(order, 1);
        expectClosed(TOTAL - 2 * EACH, 2);
        close(owner.addr);
        assertEq(balance(address(usdc), address(vault)), 0);
    }

    function test_onlyOnce() public {
        close(owner.addr);
        vm.expectRevert(notOpen());
        close(owner.addr);
        bytes[] memory signatures = quorumOf(1, vault.closeDigest(order));
        vm.expectRevert(notOpen());
        vault.closeOrderSigned(order, signatures);
        signatures = quorumOf(1, vault.trancheDigest(order, 0, keccak256("")));
        vm.expectRevert(notOpen());
        vault.fireTranche(order, 0, "", signatures);
    }

    function test_unknownOrders() public {
        order = bytes32(uint256(1));
        vm.expectRevert(notOpen());
        close(owner.addr);
        assertEq(vault.nextTrancheAt(order), 0);
        assertEq(vault.getOrder(order).owner, address(0));
    }

    function test_attack_aStrangersCancel() public {
        bytes memory reason = abi.encodeWithSelector(
            IOrderVault.NotClosableYet.selector, owner.addr, end + CLOSE_DELAY
        );
        vm.expectRevert(reason);
        close(stranger.addr);
        vm.warp(end + CLOSE_DELAY - 1);
        vm.expectRevert(reason);
        close(stranger.addr);
        close(owner.addr);
    }

    function test_anyStrangerADayAfterTheEnd() public {
        vm.warp(end + CLOSE_DELAY);
        uint256 before = balance(address(usdc), owner.addr);
        expectClosed(TOTAL, 1);
        close(stranger.addr);
        assertEq(balance(address(usdc), owner.addr), before + TOTAL);
    }

    function test_enclavesAtEveryStop() public {
        uint256 snapshot = vm.snapshotState();
        expectClosed(TOTAL, 2);
        closeSigned(order);

        assertTrue(vm.revertToState(snapshot));
        vm.warp(end - 1);
        expectClosed(TOTAL, 2);
        closeSigned(order);

        assertTrue(vm.revertToState(snapshot));
        vm.warp(end);
        expectClosed(TOTAL, 1);
        closeSigned(order);

        assertTrue(vm.revertToState(snapshot));
        uint256 start = vault.getOrder(order).firstAt;
        for (uint256 n = 0; n < 4; ++n) {
            vm.warp(start + n * PERIOD);
            fire(order, n);
        }
        expectClosed(77, 0);
        closeSigned(order);
    }

    function test_enclavesNeedTheOrdersQuorum() public {
        OrderTerms memory given = terms();
        given.token = address(strict);
        order = fundOrder(given, "two", owner);
        bytes[] memory one = quorumOf(1, vault.closeDigest(order));
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.WrongSignatureCount.selector, 1, 2));
        vault.closeOrderSigned(order, one);
        closeSigned(order);
    }

    function test_attack_anotherOrdersClose() public {
        bytes32 other = fundOrder(terms(), "other", owner);
        bytes[] memory signatures = quorumOf(1, vault.closeDigest(other));
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        vault.closeOrderSigned(order, signatures);
    }

    function test_nothingLeftIsNoPayment() public {
        OrderTerms memory given = terms();
        given.totalAmount = EACH;
        order = fundOrder(given, "one", owner);
        fire(order, 0);
        vm.expectCall(address(usdc), abi.encodeWithSelector(usdc.transfer.selector), 0);
        expectClosed(0, 0);
        closeSigned(order);
    }

    function test_aRefusedPaymentWaits() public {
        usdc.blacklist(owner.addr);
        vm.expectEmit(address(vault));
        emit IOrderVault.CreditAdded(owner.addr, address(usdc), TOTAL);
        close(owner.addr);
        assertTrue(vault.getOrder(order).closed);
        assertEq(vault.claimable(owner.addr, address(usdc)), TOTAL);
        assertEq(balance(address(usdc), address(vault)), TOTAL);

        vm.startPrank(owner.addr);
        vm.expectRevert("Blacklistable: account is blacklisted");
        vault.claim(address(usdc), owner.addr);
        assertEq(vault.claimable(owner.addr, address(usdc)), TOTAL);
        vm.expectRevert(abi.encodeWithSelector(IOrderVault.InvalidReceiver.selector, address(0)));
        vault.claim(address(usdc), address(0));
        vm.expectRevert(abi.encodeWithSelector(IOrderVault.InvalidReceiver.selector, vault));
        vault.claim(address(usdc), address(vault));
        vm.expectEmit(address(vault));
        emit IOrderVault.CreditClaimed(owner.addr, address(usdc), TOTAL);
        vault.claim(address(usdc), anyone);
        assertEq(balance(address(usdc), anyone), TOTAL);
        vm.expectRevert(
            abi.encodeWithSelector(IOrderVault.NothingOwed.selector, owner.addr, address(usdc))
        );
        vault.claim(address(usdc), anyone);
    }

    /// @dev Two refused payments: credits add up.
    function test_creditsAddUp() public {
        bytes32 other = fundOrder(terms(), "other", owner);
        usdc.blacklist(owner.addr);
        close(owner.addr);
        order = other;
        close(owner.addr);
        assertEq(vault.claimable(owner.addr, address(usdc)), 2 * TOTAL);
    }

    function test_tooLittleGasIsNoRefusal() public {
        vm.expectPartialRevert(IOrderVault.InsufficientGas.selector);
        vm.prank(owner.addr);
        vault.closeOrder{gas: 320_000}(order);
    }

    /// @dev Closing with little gas can't turn a payment that would succeed into a refusal.
    function test_attack_aFakedRefusal() public {
        vm.warp(end + CLOSE_DELAY);
        bytes memory call = abi.encodeCall(vault.closeOrder, (order));
        uint256 before = balance(address(usdc), owner.addr);
        for (uint256 limit = 50_000; limit <= 500_000; limit += 1_500) {
            vm.prank(stranger.addr);
            (bool done,) = address(vault).call{gas: limit}(call);
            if (!done) continue;
            break;
        }
        assertEq(vault.claimable(owner.addr, address(usdc)), 0);
        assertEq(balance(address(usdc), owner.addr), before + TOTAL);
    }

    function test_attack_tokensInEveryMood() public {
        MoodyToken moody = new MoodyToken();
        list(address(moody));
        fund(address(moody), owner.addr);
        for (uint256 mood = 1; mood < 8; ++mood) {
            moody.setMood(MoodyToken.Mood.Honest);
            order = fundMoody(address(moody), mood);
            moody.setMood(MoodyToken.Mood(mood));
            uint256 before = vault.claimable(owner.addr, address(moody));
            close(owner.addr);
            assertEq(vault.claimable(owner.addr, address(moody)), before + TOTAL);
        }
        moody.setMood(MoodyToken.Mood.ReturnsFalse);
        vm.startPrank(owner.addr);
        vm.expectRevert(
            abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, address(moody))
        );
        vault.claim(address(moody), owner.addr);
        moody.setMood(MoodyToken.Mood.Honest);
        vault.claim(address(moody), owner.addr);
        assertEq(balance(address(moody), address(vault)), 0);
    }

    function fundMoody(address token, uint256 salt) internal returns (bytes32) {
        OrderTerms memory given = terms();
        given.token = token;
        return fundOrder(given, abi.encode(salt), owner);
    }

    /// @dev The money of all orders in this token stays in the vault for as long as the vault is blocked.
    function test_attack_aTokenThatBlocksTheVault() public {
        usdc.blacklist(address(vault));
        bytes memory refusal = "Blacklistable: account is blacklisted";
        bytes memory blob = hex"01aa";
        bytes32 digest = vault.trancheDigest(order, 0, keccak256(blob));
        bytes[] memory signatures = quorumOf(vault.getOrder(order).quorum, digest);
        vm.expectRevert(refusal);
        vault.fireTranche(order, 0, blob, signatures);
        assertEq(vault.getOrder(order).left, TOTAL);
        close(owner.addr);
        assertEq(vault.claimable(owner.addr, address(usdc)), TOTAL);
        vm.startPrank(owner.addr);
        vm.expectRevert(refusal);
        vault.claim(address(usdc), anyone);
        usdc.unBlacklist(address(vault));
        vault.claim(address(usdc), anyone);
        assertEq(balance(address(usdc), anyone), TOTAL);
    }

    /// @dev The token was destroyed: nothing answers at its address, and nobody claims to be paid.
    function test_attack_aTokenThatIsGone() public {
        vm.etch(address(usdc), "");
        close(owner.addr);
        assertEq(vault.claimable(owner.addr, address(usdc)), TOTAL);
    }

    function test_attack_aTokenThatTakesAFee() public {
        FeeOnTransferToken fee = new FeeOnTransferToken();
        list(address(fee));
        fund(address(fee), owner.addr);
        fee.setTakesFee(true);
        OrderTerms memory given = terms();
        given.token = address(fee);
        order = keccak256("fee");
        bytes memory message = orderMessage(order);
        bytes memory signature = personalSign(owner, message);
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(order, given));
        vm.expectRevert(
            abi.encodeWithSelector(
                IOrderVault.TransferShort.selector, fee, TOTAL, TOTAL - TOTAL / 100
            )
        );
        vault.fundOrder(FundingRequest(given, 11), "fee", message, signature, signatures);
    }

    /// @dev The token calls back from each of its transfers and tries to be paid again.
    function test_attack_reentrance() public {
        ReentrantToken token = new ReentrantToken();
        list(address(token));
        fund(address(token), owner.addr);
        OrderTerms memory given = terms();
        given.token = address(token);
        order = fundOrder(given, "reentrant", owner);
        fundOrder(given, "somebody else's", owner);
        bytes[] memory closing = quorumOf(1, vault.closeDigest(order));
        bytes[] memory firing = quorumOf(1, vault.trancheDigest(order, 1, keccak256("")));
        bytes[5] memory calls = [
            abi.encodeCall(vault.closeOrderSigned, (order, closing)),
            abi.encodeCall(vault.fireTranche, (order, 1, "", firing)),
            abi.encodeCall(vault.claim, (address(token), owner.addr)),
            abi.encodeCall(vault.closeOrder, (order)),
            refunding(given)
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            uint256 snapshot = vm.snapshotState();
            token.arm(address(vault), calls[i]);
            fire(order, 0, "");
            assertRefused(token);
            vm.warp(block.timestamp + PERIOD);
            token.arm(address(vault), calls[i]);
            closeSigned(order);
            assertRefused(token);
            assertEq(balance(address(token), address(vault)), TOTAL);
            assertTrue(vm.revertToState(snapshot));
        }
    }

    /// @dev A request that would succeed by itself.
    function refunding(OrderTerms memory given) internal view returns (bytes memory) {
        bytes32 id = keccak256("third");
        bytes memory message = orderMessage(id);
        bytes memory signature = personalSign(owner, message);
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(id, given));
        return abi.encodeCall(
            vault.fundOrder, (FundingRequest(given, 11), "third", message, signature, signatures)
        );
    }

    function assertRefused(ReentrantToken token) internal view {
        assertTrue(token.called());
        assertFalse(token.succeeded());
        assertEq(
            token.answer(),
            abi.encodeWithSelector(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector)
        );
    }

    function list(address token) internal {
        vm.prank(admin);
        bridge.announce(abi.encodeCall(bridge.listToken, (token, MIN_ESCROW, MAX_ESCROW, 1)));
        vm.warp(block.timestamp + 2 days);
        bridge.listToken(token, MIN_ESCROW, MAX_ESCROW, 1);
    }
}
