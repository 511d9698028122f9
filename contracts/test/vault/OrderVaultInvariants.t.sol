// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetUsdc} from "../../src/devnet/DevnetUsdc.sol";
import {Intent} from "../../src/interfaces/BridgeTypes.sol";
import {Order} from "../../src/interfaces/IOrderVault.sol";
import {Deployed} from "../support/Deployed.sol";
import {VaultFixture} from "../support/VaultFixture.sol";
import {IVaultSigning, VaultHandler} from "./VaultHandler.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {Vm} from "forge-std/Test.sol";

contract OrderVaultInvariantsTest is VaultFixture, IVaultSigning {
    VaultHandler internal handler;
    Vm.Wallet[3] internal owners;
    DevnetUsdc[2] internal tokens;

    function setUp() public override {
        super.setUp();
        tokens = [usdc, DevnetUsdc(Deployed.create("DevnetUsdc", ""))];
        vm.prank(admin);
        bridge.announce(
            abi.encodeCall(bridge.listToken, (address(tokens[1]), MIN_ESCROW, MAX_ESCROW, 2))
        );
        vm.warp(block.timestamp + 2 days);
        bridge.listToken(address(tokens[1]), MIN_ESCROW, MAX_ESCROW, 2);
        for (uint256 i = 0; i < 3; ++i) {
            owners[i] = vm.createWallet(string.concat("owner ", Strings.toString(i)));
            fund(address(tokens[0]), owners[i].addr);
            fund(address(tokens[1]), owners[i].addr);
        }
        handler = new VaultHandler(vault, bridge, this, tokens);
        targetContract(address(handler));
    }

    function consentOf(uint256 who, bytes32 orderId)
        external
        view
        returns (bytes memory message, bytes memory signature)
    {
        message = orderMessage(orderId);
        signature = personalSign(owners[who], message);
    }

    function signaturesFor(uint256 quorum, bytes32 digest) external view returns (bytes[] memory) {
        return quorumOf(quorum, digest);
    }

    function ownerAt(uint256 who) external view returns (address) {
        return owners[who].addr;
    }

    /// @dev One invariant in four parts: the campaign takes time, the checks don't.
    function invariant_ordersAreTheOwnersAlone() public view {
        whatIsLeftIsThere();
        eachOrdersBooks();
        nothingGoesElsewhere();
        tranchesAreTheOwners();
    }

    /// @dev Σ left ≤ balance, and to the unit: the rest is credits and gifts.
    function whatIsLeftIsThere() internal view {
        for (uint256 i = 0; i < 2; ++i) {
            address token = address(tokens[i]);
            uint256 owed;
            for (uint256 j = 0; j < handler.count(); ++j) {
                Order memory order = vault.getOrder(handler.orders(j));
                if (order.token == token) owed += order.left;
            }
            for (uint256 j = 0; j < 3; ++j) {
                owed += vault.claimable(owners[j].addr, token);
            }
            assertEq(balance(token, address(vault)), owed + handler.donated(token));
        }
    }

    /// @dev An order's tokens became its own tranches, were returned, or are left.
    function eachOrdersBooks() internal view {
        assertEq(handler.wrong(), "");
        for (uint256 j = 0; j < handler.count(); ++j) {
            bytes32 id = handler.orders(j);
            Order memory order = vault.getOrder(id);
            assertEq(order.fired, handler.fired(id));
            uint256 spent = order.fired * order.amountPerPeriod;
            assertEq(handler.total(id), spent + order.left + handler.returned(id));
            if (order.closed) assertEq(order.left, 0);
            else assertEq(handler.returned(id), 0);
        }
    }

    /// @dev Tokens that left the vault are the owners' or in escrow for them; no stranger has any.
    function nothingGoesElsewhere() internal view {
        for (uint256 i = 0; i < 2; ++i) {
            DevnetUsdc token = tokens[i];
            assertEq(token.balanceOf(handler.ADVERSARY()), 0);
            uint256 held = token.balanceOf(address(vault)) + token.balanceOf(address(bridge));
            for (uint256 j = 0; j < 3; ++j) {
                held += token.balanceOf(owners[j].addr);
            }
            if (i == 0) held += token.balanceOf(owner.addr) + token.balanceOf(stranger.addr);
            assertEq(held, token.totalSupply());
        }
    }

    /// @dev Each tranche is an intent of its order's owner by its order's terms.
    function tranchesAreTheOwners() internal view {
        for (uint256 i = 0; i < handler.intentCount(); ++i) {
            uint256 id = handler.intents(i);
            Order memory order = vault.getOrder(handler.orderOf(id));
            Intent memory intent = bridge.getIntent(id);
            assertEq(intent.sender, order.owner);
            assertEq(intent.tokenA, order.token);
            assertEq(intent.tokenB, order.tokenB);
            assertEq(intent.amountA + intent.reward, order.amountPerPeriod);
            assertEq(intent.reward, order.amountPerPeriod / 20);
            assertEq(intent.expectedAmountB, order.expectedAmountB);
            assertEq(intent.destChainId, order.destChainId);
        }
    }

    /// @dev The campaign with a fixed seed, long enough for everything to happen in it.
    function test_aLongCampaign() public {
        for (uint256 i = 0; i < 600; ++i) {
            step(uint256(keccak256(abi.encode(i))), uint256(keccak256(abi.encode(i, "more"))));
        }
        invariant_ordersAreTheOwnersAlone();
        assertGt(handler.count(), 50);
        assertGt(handler.intentCount(), 25);
        assertGt(handler.closes(), 20);
        assertGt(handler.claims(), 0);
    }

    function step(uint256 seed, uint256 more) private {
        uint256 choice = seed % 12;
        seed >>= 8;
        if (choice < 2) handler.fund(seed, more, more >> 64, more >> 128);
        else if (choice < 6) handler.fire(seed, more);
        else if (choice == 6) handler.wait(more);
        else if (choice == 7) handler.close(seed, more);
        else if (choice == 8) handler.endIntent(seed);
        else if (choice == 9) handler.blacklist(seed, more % 3 == 0);
        else if (choice == 10) handler.claim(seed);
        else handler.fireUnsigned(seed);
    }
}
