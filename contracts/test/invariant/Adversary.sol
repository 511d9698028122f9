// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {Phase, Settlement} from "../../src/interfaces/BridgeTypes.sol";
import {MoodyToken} from "../support/HostileTokens.sol";
import {BridgeHandler} from "./BridgeHandler.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Tries what must never work, between the honest steps; and ends a run in the worst way.
contract Adversary is BridgeHandler {
    address private constant NOBODY = address(0xdead);

    /// @dev Everything that doesn't fit an intent's phase and time is refused, whoever asks.
    function attackPhase(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, any);
        if (!found) return;
        Expected memory intent = intents[at];
        enter(intent.side);
        BridgeIntentV2 bridge = bridges[intent.side];
        address by = (seed >> 8) & 1 == 0 ? intent.sender : solvers[(seed >> 8) % 3];
        if (!canRefund(intent)) refused(by, abi.encodeCall(bridge.refund, (intent.id)), bridge);
        if (!canCancel(intent) || by != intent.sender) {
            refused(by, abi.encodeCall(bridge.cancelIntent, (intent.id)), bridge);
        }
        if (!canBid(intent)) {
            refused(by, abi.encodeCall(bridge.placeBid, (intent.id, 1e30)), bridge);
        } else {
            uint256 tooLow =
                intent.solver == address(0) ? intent.expectedAmountB - 1 : intent.amountB;
            refused(by, abi.encodeCall(bridge.placeBid, (intent.id, tooLow)), bridge);
        }
        if (!canDeposit(intent)) {
            refused(by, abi.encodeCall(bridge.depositAndPickup, (intent.id, 1e25)), bridge);
        }
        if (!canAnchor(intent)) {
            bytes memory call = abi.encodeCall(bridge.anchorIntent, (intent.id, 250, hex"01"));
            refused(relayer, call, bridge);
        }
    }

    /// @dev A genuine attestation settles only its own intent, on its own contract and chain, once.
    function attackByReplay(uint256 seed) external {
        if (accepted.length == 0) return;
        uint256 at = (seed >> 128) % accepted.length;
        Settlement memory settlement = accepted[at];
        bytes memory signature = acceptedSignatures[at];
        uint256 side = settlement.intentId >> 64 == chains[0] ? 0 : 1;
        enter(side);
        refuseSettlement(bridges[side], settlement, signature);

        (bool found, uint256 other) = pick(seed, isDeposited);
        if (!found) return;
        Expected memory victim = intents[other];
        enter(victim.side);
        settlement.intentId = victim.id;
        ++counts.replayed;
        refuseSettlement(bridges[victim.side], settlement, signature);

        // The victim's own terms, signed by the right key for the other bridge, then for another
        // chain.
        settlement = settlementOf(victim);
        signature = attest(bridges[1 - victim.side], settlement, attesters[victim.side]);
        refuseSettlement(bridges[victim.side], settlement, signature);
        enter(1 - victim.side);
        signature = attest(bridges[victim.side], settlement, attesters[victim.side]);
        enter(victim.side);
        refuseSettlement(bridges[victim.side], settlement, signature);
    }

    /// @dev Keys that were never registered, are expired or are revoked never pass.
    function attackWithAnotherKey(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isDeposited);
        if (!found) return;
        Expected memory victim = intents[at];
        uint256 side = victim.side;
        enter(side);
        Settlement memory settlement = settlementOf(victim);
        refuseSettlement(bridges[side], settlement, attest(bridges[side], settlement, quoting));
        Vm.Wallet memory key = attesters[side];
        if ((seed >> 8) % 4 == 0 && registries[side].isActive(key.addr)) {
            vm.prank(owner);
            registries[side].revoke(key.addr);
        }
        if (registries[side].isActive(key.addr)) return;
        ++counts.deadKeyTried;
        refuseSettlement(bridges[side], settlement, attest(bridges[side], settlement, key));
    }

    function attackAsSomebodyElse(uint256 seed) external {
        uint256 side = seed & 1;
        enter(side);
        BridgeIntentV2 bridge = bridges[side];
        address token = tokens[(seed >> 8) % 3];
        refused(NOBODY, abi.encodeCall(bridge.claim, (token, NOBODY)), bridge);
        refused(NOBODY, abi.encodeCall(bridge.pauseCreation, ()), bridge);
        refused(NOBODY, abi.encodeCall(bridge.rotateRelayer, (NOBODY)), bridge);
        refused(NOBODY, abi.encodeCall(bridge.listToken, (token, 1, 2)), bridge);
        if (ledgers[side][token].fees == 0) {
            refused(NOBODY, abi.encodeCall(bridge.collectFees, (token)), bridge);
        }
    }

    /// @dev The owner does all it can and undoes it: open intents don't notice.
    function administer(uint256 seed) external {
        uint256 side = seed & 1;
        enter(side);
        BridgeIntentV2 bridge = bridges[side];
        vm.startPrank(owner);
        bridge.pauseCreation();
        bridge.delistToken(tokens[0]);
        bridge.delistDestination(chains[1 - side]);
        bridge.rotateRelayer(NOBODY);
        check(side);
        bridge.rotateRelayer(relayer);
        bridge.listDestination(chains[1 - side]);
        bridge.listToken(tokens[0], 1, type(uint96).max);
        bridge.resumeCreation();
        vm.stopPrank();
    }

    /// @dev Everybody is gone and every payee refused, long after all windows: each open intent can
    ///      still be refunded, each credit claimed elsewhere, and nothing is left but donations.
    function endOfTheWorld() external {
        time += 30 days;
        moody.setMood(MoodyToken.Mood.Reverts);
        for (uint256 i = 0; i < 3; ++i) {
            usdc.blacklist(senders[i]);
            usdc.blacklist(solvers[i]);
        }
        for (uint256 side = 0; side < 2; ++side) {
            abandon(side);
        }
        for (uint256 i = 0; i < intents.length; ++i) {
            if (isFinal(intents[i].phase)) continue;
            enter(intents[i].side);
            giveBack(intents[i], Phase.Refunded);
        }
        moody.setMood(MoodyToken.Mood.Honest);
        for (uint256 side = 0; side < 2; ++side) {
            check(side);
            emptyOut(side);
        }
    }

    function abandon(uint256 side) private {
        enter(side);
        vm.startPrank(owner);
        bridges[side].pauseCreation();
        bridges[side].rotateRelayer(NOBODY);
        bridges[side].renounceOwnership();
        registries[side].removeMeasurement(MEASUREMENT);
        registries[side].renounceOwnership();
        vm.stopPrank();
    }

    function emptyOut(uint256 side) private {
        enter(side);
        for (uint256 t = 0; t < tokens.length; ++t) {
            for (uint256 i = 0; i < 3; ++i) {
                claimAll(side, senders[i], tokens[t]);
                claimAll(side, solvers[i], tokens[t]);
            }
            if (ledgers[side][tokens[t]].fees > 0) bridges[side].collectFees(tokens[t]);
            uint256 left = IERC20(tokens[t]).balanceOf(address(bridges[side]));
            assertEq(left, ledgers[side][tokens[t]].donated, "nothing but donations is left");
        }
    }

    function claimAll(uint256 side, address account, address token) private {
        if (bridges[side].claimable(account, token) == 0) return;
        vm.prank(account);
        bridges[side].claim(token, NOBODY);
    }

    function refuseSettlement(
        BridgeIntentV2 bridge,
        Settlement memory settlement,
        bytes memory signature
    ) private {
        refused(NOBODY, abi.encodeCall(bridge.settleIntent, (settlement, signature)), bridge);
    }

    function refused(address by, bytes memory call, BridgeIntentV2 bridge) private {
        vm.prank(by);
        (bool done,) = address(bridge).call(call);
        assertFalse(done, "must be refused");
    }

    function any(Expected memory) private pure returns (bool) {
        return true;
    }
}
