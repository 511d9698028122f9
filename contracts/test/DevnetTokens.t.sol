// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetToken} from "../src/devnet/DevnetToken.sol";
import {DevnetUsdc} from "../src/devnet/DevnetUsdc.sol";
import {DevnetUsdt} from "../src/devnet/DevnetUsdt.sol";
import {DevnetWeth} from "../src/devnet/DevnetWeth.sol";
import {Deployed} from "./support/Deployed.sol";
import {Test} from "forge-std/Test.sol";

/// @notice The devnet's tokens have the quirks of the real ones.
contract DevnetTokensTest is Test {
    address private holder = makeAddr("holder");
    address private other = makeAddr("other");

    function test_plainTokens_haveTheirDecimals() public {
        assertEq(
            DevnetToken(Deployed.create("DevnetToken", abi.encode("Horizen", "ZEN", 18)))
                .decimals(),
            18
        );
        DevnetToken cbtc = DevnetToken(
            Deployed.create("DevnetToken", abi.encode("Confidential Bitcoin", "cBTC", 8))
        );
        assertEq(cbtc.decimals(), 8);
        assertEq(cbtc.symbol(), "cBTC");
    }

    function test_usdc_refusesTheBlacklisted() public {
        DevnetUsdc usdc = DevnetUsdc(Deployed.create("DevnetUsdc", ""));
        assertEq(usdc.decimals(), 6);
        usdc.mint(holder, 10);
        usdc.blacklist(holder);
        assertTrue(usdc.isBlacklisted(holder));
        vm.expectRevert("Blacklistable: account is blacklisted");
        vm.prank(holder);
        usdc.transfer(other, 1);
        usdc.unBlacklist(holder);
        usdc.blacklist(other);
        vm.expectRevert("Blacklistable: account is blacklisted");
        vm.prank(holder);
        usdc.transfer(other, 1);
        vm.prank(holder);
        usdc.approve(other, 1);
        vm.expectRevert("Blacklistable: account is blacklisted");
        vm.prank(other);
        usdc.transferFrom(holder, address(this), 1);
    }

    function test_usdt_returnsNothingAndWantsAllowancesResetFirst() public {
        DevnetUsdt usdt = DevnetUsdt(Deployed.create("DevnetUsdt", ""));
        assertEq(usdt.decimals(), 6);
        usdt.mint(address(this), 10);
        (bool done, bytes memory answer) =
            address(usdt).call(abi.encodeCall(usdt.transfer, (holder, 4)));
        assertTrue(done);
        assertEq(answer.length, 0);
        assertEq(usdt.balanceOf(holder), 4);
        usdt.approve(other, 5);
        vm.expectRevert("USDT: set it to zero first");
        usdt.approve(other, 6);
        vm.prank(other);
        usdt.transferFrom(address(this), other, 5);
        assertEq(usdt.allowance(address(this), other), 0);
        assertEq(usdt.balanceOf(address(this)), 1);
        vm.expectRevert("USDT: transfer to the zero address");
        usdt.transfer(address(0), 1);
    }

    function test_weth_wrapsAndUnwraps() public {
        DevnetWeth weth = DevnetWeth(Deployed.create("DevnetWeth", ""));
        vm.deal(holder, 3 ether);
        vm.startPrank(holder);
        weth.deposit{value: 1 ether}();
        (bool sent,) = address(weth).call{value: 1 ether}("");
        assertTrue(sent);
        assertEq(weth.balanceOf(holder), 2 ether);
        weth.withdraw(2 ether);
        vm.stopPrank();
        assertEq(holder.balance, 3 ether);
        assertEq(weth.totalSupply(), 0);
    }

    function test_weth_refusedEther_reverts() public {
        DevnetWeth weth = DevnetWeth(Deployed.create("DevnetWeth", ""));
        weth.deposit{value: 1}();
        vm.expectRevert(abi.encodeWithSelector(DevnetWeth.EtherRefused.selector, address(this)));
        weth.withdraw(1);
    }
}
