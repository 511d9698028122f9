// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {NotDelivered, Phase, Settlement} from "../../src/interfaces/BridgeTypes.sol";
import {MoodyToken} from "../support/HostileTokens.sol";
import {BridgeHandler} from "./BridgeHandler.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Between the honest steps, tries what must never work; ends a run in the worst way.
/// @dev Everything tried is well formed, within its types, and sent by accounts with stake and
///      tokens: only the rule under attack can refuse it.
contract Adversary is BridgeHandler {
    address private constant STRANGER = address(0xdead);

    /// @dev Calls that don't fit an intent's phase and time are refused, whoever sends them.
    function attackPhase(uint256 seed) external {
        (bool found, uint256 at) = pickRather(seed, isSold);
        if (!found) return;
        Expected memory intent = intents[at];
        enter(intent.side);
        BridgeIntentV2 bridge = bridges[intent.side];
        if (!canRefund(intent)) {
            refused(STRANGER, abi.encodeCall(bridge.refund, (intent.id)), bridge);
        }
        bytes memory cancelling = abi.encodeCall(bridge.cancelIntent, (intent.id));
        refused(STRANGER, cancelling, bridge);
        if (!canCancel(intent)) refused(intent.sender, cancelling, bridge);
        bytes memory naming = abi.encodeCall(bridge.nameRecipients, (intent.id, BLOB));
        refused(STRANGER, naming, bridge);
        if (!canName(intent)) refused(intent.sender, naming, bridge);
        bytes memory asking = abi.encodeCall(bridge.askRecipients, (intent.id));
        refused(STRANGER, asking, bridge);
        if (!canAsk(intent)) refused(solverOf(intent, seed), asking, bridge);
    }

    /// @dev Bids that are too low, too late or unbacked.
    function attackByBidding(uint256 seed) external {
        (bool found, uint256 at) = pickRather(seed, canBid);
        if (!found) return;
        Expected memory intent = intents[at];
        enter(intent.side);
        BridgeIntentV2 bridge = bridges[intent.side];
        address by = solvers[(seed >> 8) % 3];
        bool first = intent.solver == address(0);
        uint256 tooLow = first ? intent.expectedAmountB - 1 : intent.amountB;
        refused(by, abi.encodeCall(bridge.placeBid, (intent.id, tooLow)), bridge);
        if (tooLow == type(uint96).max) return;
        bytes memory better = abi.encodeCall(bridge.placeBid, (intent.id, tooLow + 1));
        refused(STRANGER, better, bridge);
        if (!canBid(intent)) refused(by, better, bridge);
    }

    /// @dev Deposits out of turn, below the floor, unbacked, or naming other recipients.
    function attackByDepositing(uint256 seed) external {
        (bool found, uint256 at) = pickRather(seed, canDeposit);
        if (!found) return;
        Expected memory intent = intents[at];
        uint256 side = intent.side;
        enter(side);
        address by = solvers[(seed >> 8) % 3];
        bool theBest = by == intent.solver;
        if (!canDeposit(intent)) {
            deposits(intent, solverOf(intent, seed), intent.blobsHash, type(uint96).max);
            return;
        }
        bool reserved = clock[side] < intent.endTime + PICKUP;
        if (reserved && !theBest) deposits(intent, by, intent.blobsHash, type(uint96).max);
        if (!reserved || theBest) {
            deposits(intent, by, intent.blobsHash, floorFor(intent, by) - 1);
        }
        deposits(intent, STRANGER, intent.blobsHash, type(uint96).max);
        deposits(intent, intent.solver, keccak256("other recipients"), type(uint96).max);
    }

    /// @dev A genuine attestation settles only its own intent, on its own contract and chain, once.
    function attackByReplay(uint256 seed) external {
        if (accepted.length == 0) return;
        uint256 at = (seed >> 128) % accepted.length;
        Settlement memory settlement = accepted[at];
        bytes[] memory signatures = only(acceptedSignatures[at]);
        uint256 side = settlement.intentId >> 64 == chains[0] ? 0 : 1;
        enter(side);
        refuseSettlement(bridges[side], settlement, signatures);

        (bool found, uint256 other) = pick(seed, isDeposited);
        if (!found) return;
        Expected memory victim = intents[other];
        enter(victim.side);
        settlement.intentId = victim.id;
        ++counts.replayed;
        refuseSettlement(bridges[victim.side], settlement, signatures);
        settlement = attestedOf(victim);
        refuseSettlement(bridges[victim.side], settlement, signatures);

        // The victim's own terms, signed by the right keys for the other bridge, then for another
        // chain.
        refuseSettlement(bridges[victim.side], settlement, elsewhere(victim, settlement, false));
        refuseSettlement(bridges[victim.side], settlement, elsewhere(victim, settlement, true));
    }

    /// @dev Enclaves' signatures over anything but the contract's own values are worthless.
    function attackByOtherValues(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isDeposited);
        if (!found) return;
        enter(intents[at].side);
        renewDeadKeys(intents[at].side);
        for (uint256 field = 0; field < 6; ++field) {
            otherSettlement(intents[at], field);
            otherRefund(intents[at], field);
        }
    }

    function otherSettlement(Expected memory intent, uint256 field) private {
        Settlement memory given = attestedOf(intent);
        if (field == 0) given.solver = solvers[0] == intent.solver ? solvers[1] : solvers[0];
        if (field == 1) given.amountB -= 1;
        if (field == 2) given.amountB += 1;
        if (field == 3) given.chain2IntentId = (chains[intent.side] << 64) | 1;
        if (field == 4) given.paramsHash = keccak256("other terms");
        if (field == 5) given.blobsHash = keccak256("other recipients");
        refuseSettlement(bridges[intent.side], given, signaturesOf(intent, given));
    }

    function otherRefund(Expected memory intent, uint256 field) private {
        BridgeIntentV2 bridge = bridges[intent.side];
        NotDelivered memory word = notDeliveredOf(intent);
        if (field == 0) word.solver = solvers[0] == intent.solver ? solvers[1] : solvers[0];
        if (field == 1) word.amountB -= 1;
        if (field == 2) word.amountB += 1;
        if (field == 3) word.fillDeadline -= 1;
        if (field == 4) word.paramsHash = keccak256("other terms");
        if (field == 5) word.blobsHash = keccak256("other recipients");
        bytes[] memory signatures = signaturesOf(intent, word);
        refused(STRANGER, abi.encodeCall(bridge.refundUndelivered, (word, signatures)), bridge);
    }

    /// @dev Nobody's signature refunds an intent before its deadline.
    function attackByRefundingEarly(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isDeposited);
        if (!found) return;
        Expected memory intent = intents[at];
        if (clock[intent.side] >= intent.fillDeadline) return;
        enter(intent.side);
        BridgeIntentV2 bridge = bridges[intent.side];
        renewDeadKeys(intent.side);
        NotDelivered memory word = notDeliveredOf(intent);
        bytes[] memory signatures = signaturesOf(intent, word);
        refused(STRANGER, abi.encodeCall(bridge.refundUndelivered, (word, signatures)), bridge);
    }

    /// @dev Keys that were never registered or are revoked never pass where one is enough.
    function attackWithAnotherKey(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, needsOne);
        if (!found) return;
        Expected memory victim = intents[at];
        uint256 side = victim.side;
        enter(side);
        Settlement memory given = attestedOf(victim);
        refuseSettlement(bridges[side], given, only(signed(address(bridges[side]), given, quoting)));
        Vm.Wallet memory key = attesters[side][0];
        if ((seed >> 8) % 2 == 0 && registries[side].isActive(key.addr)) {
            vm.prank(owner);
            registries[side].revoke(key.addr);
        }
        if (registries[side].isActive(key.addr)) return;
        ++counts.deadKeyTried;
        refuseSettlement(bridges[side], given, only(signed(address(bridges[side]), given, key)));
    }

    /// @dev One operator's keys count once, however many there are.
    function attackQuorum(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, needsTwo);
        if (!found) return;
        Expected memory victim = intents[at];
        uint256 side = victim.side;
        enter(side);
        renewDeadKeys(side);
        Settlement memory given = attestedOf(victim);
        bytes[] memory right = signaturesOf(victim, given);
        refuseSettlement(bridges[side], given, only(right[0]));
        bytes[] memory given2 = new bytes[](2);
        (given2[0], given2[1]) = (right[1], right[0]);
        refuseSettlement(bridges[side], given, given2);
        (given2[0], given2[1]) = (right[0], right[0]);
        refuseSettlement(bridges[side], given, given2);
        // Two keys of one operator, in order.
        Vm.Wallet memory older = attesters[side][0];
        renewKey(side, 0);
        Vm.Wallet memory newer = attesters[side][0];
        bool inOrder = older.addr < newer.addr;
        given2[0] = signed(address(bridges[side]), given, inOrder ? older : newer);
        given2[1] = signed(address(bridges[side]), given, inOrder ? newer : older);
        refuseSettlement(bridges[side], given, given2);
        ++counts.quorumTried;
    }

    /// @dev A winner can deliver only once, on the right chain, in time, and what it owes.
    function attackDelivery(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, wasSolved);
        if (!found) return;
        Expected memory intent = intents[at];
        uint256 there = 1 - intent.side;
        enter(there);
        moody.setMood(MoodyToken.Mood.Honest);
        usdc.unBlacklist(intent.solver);
        refused(intent.solver, deliveryCall(intent, clock[there]), bridges[there]);
        // From another account, which has the tokens: only the past deadline makes it revert.
        address by = solvers[0] == intent.solver ? solvers[1] : solvers[0];
        usdc.unBlacklist(by);
        refused(by, deliveryCall(intent, clock[there] - 1), bridges[there]);
        // A stranger that has approved nothing credits nobody either.
        refused(STRANGER, deliveryCall(intent, clock[there]), bridges[there]);
    }

    function deliveryCall(Expected memory intent, uint256 deadline)
        private
        view
        returns (bytes memory)
    {
        (address[] memory to, uint256[] memory amounts) = bundleOf(intent);
        bytes32 terms = readIntentTerms(intent);
        uint256 source = chains[intent.side];
        return abi.encodeCall(
            bridges[0].solveIntent, (source, intent.id, terms, intent.tokenB, to, amounts, deadline)
        );
    }

    function attackAsSomebodyElse(uint256 seed) external {
        uint256 side = seed & 1;
        enter(side);
        BridgeIntentV2 bridge = bridges[side];
        uint256 t = (seed >> 8) % 3;
        address token = tokens[t];
        moody.setMood(MoodyToken.Mood.Honest);
        refused(STRANGER, abi.encodeCall(bridge.claim, (token, STRANGER)), bridge);
        refused(STRANGER, abi.encodeCall(bridge.unstake, (token, 1)), bridge);
        refused(STRANGER, abi.encodeCall(bridge.pauseCreation, ()), bridge);
        bytes memory change = abi.encodeCall(bridge.changeTreasury, (STRANGER));
        refused(STRANGER, abi.encodeCall(bridge.announce, (change)), bridge);
        refused(owner, change, bridge);
        if (fees[side][token] == 0) {
            refused(STRANGER, abi.encodeCall(bridge.collectFees, (token)), bridge);
        }
        address by = solvers[(seed >> 16) % 3];
        uint256 free = stakes[side][by][token] - locks[side][by][token];
        usdc.unBlacklist(by);
        refused(by, abi.encodeCall(bridge.unstake, (token, free + 1)), bridge);
        refused(by, creationFor(side, token), bridge);
    }

    function creationFor(uint256 side, address token) private view returns (bytes memory) {
        uint256 there = chains[1 - side];
        address user = senders[0];
        return abi.encodeCall(
            bridges[side].createIntentFor, (user, token, token, 1e18, 1, 0, there, 60, BLOB)
        );
    }

    /// @dev The owner does all it can and undoes it: open intents are unaffected.
    function administer(uint256 seed) external {
        uint256 side = seed & 1;
        enter(side);
        BridgeIntentV2 bridge = bridges[side];
        vm.startPrank(owner);
        bridge.pauseCreation();
        bridge.delistToken(tokens[0]);
        bridge.delistDestination(chains[1 - side]);
        bridge.delistPeriphery(periphery);
        check(side);
        bytes[4] memory changes = [
            abi.encodeCall(bridge.listToken, (tokens[0], 10_000, type(uint96).max, quorums[0])),
            abi.encodeCall(bridge.listDestination, (chains[1 - side])),
            abi.encodeCall(bridge.listPeriphery, (periphery)),
            abi.encodeCall(bridge.changeTreasury, (treasury))
        ];
        for (uint256 i = 0; i < changes.length; ++i) {
            bridge.announce(changes[i]);
        }
        bytes memory withdrawn = abi.encodeCall(bridge.changeTreasury, (STRANGER));
        bridge.withdrawChange(bridge.announce(withdrawn));
        vm.stopPrank();
        handOver(bridge, owner, treasury);
        handOver(bridge, treasury, owner);
        clock[side] += DELAY - 1;
        enter(side);
        refused(owner, changes[seed % changes.length], bridge);
        clock[side] += 1;
        enter(side);
        for (uint256 i = 0; i < changes.length; ++i) {
            (bool done,) = address(bridge).call(changes[i]);
            assertTrue(done, "enacted");
        }
        refused(owner, withdrawn, bridge);
        vm.prank(owner);
        bridge.resumeCreation();
    }

    function handOver(BridgeIntentV2 bridge, address from, address to) private {
        vm.prank(from);
        bridge.transferOwnership(to);
        refused(STRANGER, abi.encodeCall(bridge.acceptOwnership, ()), bridge);
        vm.prank(to);
        bridge.acceptOwnership();
    }

    /// @dev An intent that the attack can affect, if there is one: most are final.
    function pickRather(uint256 seed, function(Expected memory) view returns (bool) about)
        private
        view
        returns (bool found, uint256 at)
    {
        if (seed & 3 != 0) (found, at) = pick(seed, about);
        if (!found) (found, at) = pick(seed, any);
    }

    /// @dev Everybody is gone and every payee refused, long after all windows: each open intent can
    ///      still be refunded, each credit claimed elsewhere, each free stake taken out, and nothing
    ///      is left but donations and what nobody can claim.
    function endOfTheWorld() external {
        clock[0] += 30 days;
        clock[1] += 30 days;
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
            giveBack(intents[i], Phase.Refunded, false);
        }
        moody.setMood(MoodyToken.Mood.Honest);
        for (uint256 i = 0; i < 3; ++i) {
            usdc.unBlacklist(solvers[i]);
            usdc.unBlacklist(recipients[i]);
        }
        for (uint256 side = 0; side < 2; ++side) {
            check(side);
            emptyOut(side);
        }
    }

    function abandon(uint256 side) private {
        enter(side);
        vm.startPrank(owner);
        bridges[side].pauseCreation();
        bridges[side].renounceOwnership();
        registries[side].removeMeasurement(MEASUREMENT);
        registries[side].renounceOwnership();
        vm.stopPrank();
    }

    function emptyOut(uint256 side) private {
        enter(side);
        BridgeIntentV2 bridge = bridges[side];
        for (uint256 t = 0; t < tokens.length; ++t) {
            address token = tokens[t];
            for (uint256 i = 0; i < 3; ++i) {
                claimAll(side, senders[i], token);
                claimAll(side, solvers[i], token);
                (uint256 total, uint256 locked) = bridge.stakeOf(solvers[i], token);
                assertEq(locked, 0, "nothing is locked for good");
                vm.prank(solvers[i]);
                if (total > type(uint96).max) bridge.unstake(token, type(uint96).max);
                (total,) = bridge.stakeOf(solvers[i], token);
                vm.prank(solvers[i]);
                if (total != 0) bridge.unstake(token, total);
                vm.stopPrank();
                if (refusedDeliveries[side][recipients[i]][token] != 0) {
                    bridge.claimDelivery(recipients[i], token);
                }
            }
            if (fees[side][token] > 0) bridge.collectFees(token);
            uint256 left = IERC20(token).balanceOf(address(bridge));
            uint256 lost = bridge.claimable(nobody, token);
            assertEq(left, donated[side][token] + lost, "nothing but donations is left");
        }
    }

    function claimAll(uint256 side, address account, address token) private {
        if (bridges[side].claimable(account, token) == 0) return;
        vm.prank(account);
        bridges[side].claim(token, STRANGER);
    }

    function deposits(Expected memory intent, address by, bytes32 blobsHash, uint256 amountB)
        private
    {
        BridgeIntentV2 bridge = bridges[intent.side];
        bytes memory call = abi.encodeCall(
            bridge.depositAndPickup, (intent.id, readIntentTerms(intent), blobsHash, amountB)
        );
        refused(by, call, bridge);
    }

    /// @dev What enclaves would sign if the winner had delivered.
    function attestedOf(Expected memory intent) private view returns (Settlement memory given) {
        given = settlementOf(intent);
        if (given.chain2IntentId == 0) given.chain2IntentId = (chains[1 - intent.side] << 64) | 1;
    }

    function elsewhere(Expected memory victim, Settlement memory given, bool onOtherChain)
        private
        returns (bytes[] memory signatures)
    {
        signatures = new bytes[](victim.quorum);
        address bridge = address(bridges[onOtherChain ? victim.side : 1 - victim.side]);
        if (onOtherChain) vm.chainId(chains[1 - victim.side]);
        for (uint256 i = 0; i < victim.quorum; ++i) {
            signatures[i] = signed(bridge, given, signer(victim, i));
        }
        vm.chainId(chains[victim.side]);
    }

    function solverOf(Expected memory intent, uint256 seed) private view returns (address) {
        return intent.solver == address(0) ? solvers[(seed >> 8) % 3] : intent.solver;
    }

    function refuseSettlement(
        BridgeIntentV2 bridge,
        Settlement memory settlement,
        bytes[] memory signatures
    ) private {
        refused(STRANGER, abi.encodeCall(bridge.settleIntent, (settlement, signatures)), bridge);
    }

    function refused(address by, bytes memory call, BridgeIntentV2 bridge) private {
        vm.prank(by);
        (bool done,) = address(bridge).call(call);
        assertFalse(done, "must be refused");
    }

    /// @dev Its sender can no longer cancel or change anything, and nobody has picked it up.
    function isSold(Expected memory intent) private view returns (bool) {
        return intent.phase == Phase.Open && intent.solver != address(0)
            && clock[intent.side] >= intent.firmAt;
    }

    function needsOne(Expected memory intent) private pure returns (bool) {
        return intent.phase == Phase.Deposited && intent.quorum == 1;
    }

    function needsTwo(Expected memory intent) private pure returns (bool) {
        return intent.phase == Phase.Deposited && intent.quorum == 2;
    }

    function wasSolved(Expected memory intent) private pure returns (bool) {
        return intent.solved;
    }
}
