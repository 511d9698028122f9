// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {FeeOnTransferToken, ReentrantToken} from "./support/HostileTokens.sol";

/// @notice Sealing keys and stakes.
contract StakesTest is BridgeFixture {
    uint256 private constant P = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F;

    function test_setSealingKey_onceAndForGood() public {
        vm.startPrank(anyone);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.SealingKeySet(anyone, operator.publicKeyX, operator.publicKeyY);
        bridge.setSealingKey(operator.publicKeyX, operator.publicKeyY);
        (uint256 x, uint256 y) = bridge.sealingKeyOf(anyone);
        assertEq(x, operator.publicKeyX);
        assertEq(y, operator.publicKeyY);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.SealingKeyIsSet.selector, anyone));
        bridge.setSealingKey(enclave.publicKeyX, enclave.publicKeyY);
        vm.stopPrank();
    }

    function test_setSealingKey_offTheCurve_reverts() public {
        (uint256 x, uint256 y) = (enclave.publicKeyX, enclave.publicKeyY);
        uint256[2][7] memory bad =
            [[x, y ^ 1], [x ^ 1, y], [uint256(0), 0], [y, x], [P, y], [x, P], [x, uint256(0)]];
        for (uint256 i = 0; i < bad.length; ++i) {
            expectOffCurve(bad[i][0], bad[i][1]);
        }
    }

    /// @dev The same point with coordinates not in lowest terms would seal to nobody.
    function test_setSealingKey_notInLowestTerms_reverts() public {
        // x = 1 is on the curve, and 1 + P has 256 bits too.
        uint256 y = 0x4218F20AE6C646B363DB68605822FB14264CA8D2587FDD6FBC750D587E76A7EE;
        expectOffCurve(1 + P, y);
        vm.prank(anyone);
        bridge.setSealingKey(1, y);
    }

    function testFuzz_setSealingKey_takesEveryRealKey(uint256 privateKey) public {
        privateKey = bound(privateKey, 1, 2 ** 255);
        uint256 x = vm.createWallet(privateKey).publicKeyX;
        uint256 y = vm.createWallet(privateKey).publicKeyY;
        vm.prank(anyone);
        bridge.setSealingKey(x, y);
        expectOffCurve(x, y == P - 1 ? 1 : y + 1);
    }

    function test_stake_addsAndPulls() public {
        uint256 before = balance(address(usdc), solver);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.StakeAdded(solver, address(usdc), 5e6);
        stakeAs(solver, address(usdc), 5e6);
        assertEq(before - balance(address(usdc), solver), 5e6);
        assertEq(totalOf(solver), STAKE + 5e6);
        assertEq(lockedOf(solver), 0);
    }

    function test_stake_withoutSealingKey_reverts() public {
        fund(address(usdc), anyone);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NoSealingKey.selector, anyone));
        vm.prank(anyone);
        bridge.stake(address(usdc), 5e6);
    }

    function test_stake_unknownToken_reverts() public {
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.TokenNotListed.selector, tokenB));
        bridge.stake(tokenB, 5e6);
        (uint256 total, uint256 locked) = bridge.stakeOf(solver, tokenB);
        assertEq(total + locked, 0, "not that of the first token");
    }

    function test_stake_ofADelistedToken() public {
        vm.prank(owner);
        bridge.delistToken(address(usdc));
        stakeAs(solver, address(usdc), 5e6);
        assertEq(totalOf(solver), STAKE + 5e6);
    }

    function test_stake_amountOutOfRange_reverts() public {
        uint256 most = type(uint96).max;
        uint256[2] memory bad = [uint256(0), most + 1];
        for (uint256 i = 0; i < bad.length; ++i) {
            bytes memory reason =
                abi.encodeWithSelector(IBridgeErrors.StakeOutOfRange.selector, bad[i], most);
            expectRefusal(reason);
            bridge.stake(address(usdc), bad[i]);
        }
        expectRefusal(abi.encodeWithSelector(IBridgeErrors.StakeOutOfRange.selector, 0, most));
        bridge.unstake(address(usdc), 0);
        usdc.mint(solver, most);
        stakeAs(solver, address(usdc), most);
        assertEq(totalOf(solver), STAKE + most);
    }

    function test_stake_feeOnTransfer_reverts() public {
        FeeOnTransferToken token = new FeeOnTransferToken();
        list(address(token));
        token.setTakesFee(true);
        expectRefusal(
            abi.encodeWithSelector(IBridgeErrors.TransferShort.selector, address(token), 500, 495)
        );
        bridge.stake(address(token), 500);
    }

    function test_unstake_whatIsFree() public {
        uint256 id = withBid();
        uint256 before = balance(address(usdc), solver);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.StakeRemoved(solver, address(usdc), STAKE - BOND);
        vm.prank(solver);
        bridge.unstake(address(usdc), STAKE - BOND);
        assertEq(balance(address(usdc), solver) - before, STAKE - BOND);
        assertEq(totalOf(solver), BOND);
        assertEq(lockedOf(solver), BOND);
        expectRefusal(
            abi.encodeWithSelector(IBridgeErrors.StakeTooLow.selector, solver, address(usdc), 0, 1)
        );
        bridge.unstake(address(usdc), 1);
        bid(id, rival, EXPECTED + 1);
        vm.prank(solver);
        bridge.unstake(address(usdc), BOND);
        assertEq(totalOf(solver), 0);
    }

    function test_unstake_refusedByTheToken_keepsIt() public {
        usdc.blacklist(solver);
        expectRefusal("Blacklistable: account is blacklisted");
        bridge.unstake(address(usdc), 5e6);
        assertEq(totalOf(solver), STAKE);
    }

    /// @dev Bids have no reentrancy guard: the stake must be deducted before the token is called.
    function test_unstake_whatLeavesBacksNoBid() public {
        ReentrantToken token = new ReentrantToken();
        list(address(token));
        fund(address(token), address(token));
        stakeAs(address(token), address(token), BOND);
        uint256 id = createWith(address(token));
        anchor(id);
        token.arm(address(bridge), abi.encodeCall(bridge.placeBid, (id, EXPECTED)));
        vm.prank(address(token));
        bridge.unstake(address(token), BOND);
        assertTrue(token.called());
        assertEq(bytes4(token.answer()), IBridgeErrors.StakeTooLow.selector);
        assertEq(intentOf(id).solver, address(0));
    }

    function test_unstake_ofAnotherToken_reverts() public {
        FeeOnTransferToken token = new FeeOnTransferToken();
        listWith(address(token), 1);
        expectRefusal(
            abi.encodeWithSelector(IBridgeErrors.StakeTooLow.selector, solver, address(token), 0, 1)
        );
        bridge.unstake(address(token), 1);
    }

    function expectRefusal(bytes memory reason) private {
        vm.expectRevert(reason);
        vm.prank(solver);
    }

    function expectOffCurve(uint256 x, uint256 y) private {
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.NotOnCurve.selector, x, y));
        vm.prank(makeAddr("off the curve"));
        bridge.setSealingKey(x, y);
    }
}
