// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {DevnetToken} from "../../src/devnet/DevnetToken.sol";
import {Phase, Settlement} from "../../src/interfaces/BridgeTypes.sol";
import {MoodyToken} from "../support/HostileTokens.sol";
import {BridgeModel} from "./BridgeModel.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Plays every role by the rules, and checks that each step moves exactly what it should.
/// @dev Each function takes the next intent, from a random place on, for which it is allowed.
contract BridgeHandler is BridgeModel {
    /// @dev Settlements that were accepted, for replaying.
    Settlement[] internal accepted;
    bytes[] internal acceptedSignatures;

    function create(uint256 seed, uint96 amountA, uint96 reward, uint96 expectedAmountB) external {
        uint256 side = seed & 1;
        enter(side);
        Expected memory intent;
        intent.side = side;
        intent.sender = senders[(seed >> 8) % 3];
        intent.token = tokens[(seed >> 16) % 3];
        intent.amountA = bound(amountA, 1, 1e24);
        intent.reward = bound(reward, 0, 1e20);
        intent.expectedAmountB = bound(expectedAmountB, 1, 1e22);
        if (usdc.isBlacklisted(intent.sender)) usdc.unBlacklist(intent.sender);
        uint256 duration = 20 + (seed >> 32) % 200;
        intent.endTime = time + duration;
        vm.prank(intent.sender);
        intent.id = bridges[side].createIntent(
            intent.token,
            tokenB,
            intent.amountA,
            intent.expectedAmountB,
            intent.reward,
            chains[1 - side],
            duration
        );
        intent.phase = Phase.Open;
        assertEq(intent.id, (chains[side] << 64) | ++intentCount[side], "ids have no gaps");
        ledgers[side][intent.token].open += intent.amountA + intent.reward;
        intents.push(intent);
    }

    function anchor(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canAnchor);
        if (!found) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        intent.feeBps = (seed >> 40) & 1 == 0 ? 250 : 700;
        vm.prank(relayer);
        bridges[intent.side].anchorIntent(intent.id, intent.feeBps, hex"01");
    }

    function bid(uint256 seed, uint96 extra) external {
        (bool found, uint256 at) = pick(seed, canBid);
        if (!found) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        uint256 least = intent.solver == address(0) ? intent.expectedAmountB : intent.amountB + 1;
        intent.amountB = least + extra % 1e18;
        intent.solver = solvers[(seed >> 8) % 3];
        vm.prank(intent.solver);
        bridges[intent.side].placeBid(intent.id, intent.amountB);
    }

    function deposit(uint256 seed, uint96 extra) external {
        (bool found, uint256 at) = pick(seed, canDeposit);
        if (!found) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        bool reserved = time < intent.endTime + PICKUP;
        address by = reserved ? intent.solver : solvers[(seed >> 8) % 3];
        if (usdc.isBlacklisted(by)) usdc.unBlacklist(by);
        intent.amountB = (reserved ? intent.amountB : intent.expectedAmountB) + extra % 1e18;
        intent.solver = by;
        intent.bond = intent.amountA / 20;
        intent.fillDeadline = time + EXECUTION;
        intent.phase = Phase.Deposited;
        uint256 before = IERC20(intent.token).balanceOf(by);
        vm.prank(by);
        bridges[intent.side].depositAndPickup(intent.id, intent.amountB);
        assertEq(before - IERC20(intent.token).balanceOf(by), intent.bond, "bond");
        ledgers[intent.side][intent.token].bonds += intent.bond;
    }

    function solve(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isDeposited);
        if (!found) return;
        Expected storage intent = intents[at];
        uint256 there = 1 - intent.side;
        BridgeIntentV2 bridge = bridges[there];
        uint256 source = chains[intent.side];
        if (bridge.deliveryOf(source, intent.id, intent.solver) != 0) return;
        if (usdc.isBlacklisted(intent.solver)) return;
        enter(there);
        address[] memory to = new address[](1);
        uint256[] memory amounts = new uint256[](1);
        (to[0], amounts[0]) =
        (address(uint160(uint256(keccak256(abi.encode(seed))))), intent.amountB);
        vm.prank(intent.solver);
        uint256 id = bridge.solveIntent(source, intent.id, address(usdc), to, amounts);
        assertEq(id, (chains[there] << 64) | ++deliveryCount[there], "deliveries have no gaps");
        ++counts.delivered;
    }

    function settle(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isDeposited);
        if (!found) return;
        Expected storage intent = intents[at];
        uint256 side = intent.side;
        enter(side);
        if (!registries[side].isActive(attesters[side].addr)) renewKey(side);
        Settlement memory settlement = settlementOf(intent);
        bytes memory signature = attest(bridges[side], settlement, attesters[side]);
        uint256 fee = (intent.amountA * intent.feeBps) / 10_000;
        uint256 before = worth(side, intent.solver, intent.token);

        bridges[side].settleIntent(settlement, signature);

        uint256 payout = intent.amountA - fee + intent.reward + intent.bond;
        assertEq(worth(side, intent.solver, intent.token) - before, payout, "payout");
        ledgers[side][intent.token].fees += fee;
        close(intent, Phase.Settled);
        noteCredit(side, intent.solver, intent.token, payout);
        ++counts.settled;
        accepted.push(settlement);
        acceptedSignatures.push(signature);
    }

    function cancel(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canCancel);
        if (!found) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        giveBack(intent, Phase.Cancelled);
        ++counts.cancelled;
    }

    function refund(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canRefund);
        if (!found) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        giveBack(intent, Phase.Refunded);
        if (intent.bond > 0) ++counts.failed;
        else if (intent.solver != address(0)) ++counts.expiredWithBid;
        else ++counts.expiredWithoutBid;
    }

    function claim(uint256 seed) external {
        uint256 side = seed & 1;
        enter(side);
        address token = tokens[(seed >> 8) % 3];
        address account =
            (seed >> 16) & 1 == 0 ? senders[(seed >> 24) % 3] : solvers[(seed >> 24) % 3];
        uint256 amount = bridges[side].claimable(account, token);
        assertEq(amount, credits[side][account][token], "credit");
        if (amount == 0) return;
        moody.setMood(MoodyToken.Mood.Honest);
        address to = address(uint160(uint256(keccak256(abi.encode("claim", seed)))));
        vm.prank(account);
        bridges[side].claim(token, to);
        assertEq(IERC20(token).balanceOf(to), amount, "claimed");
        ledgers[side][token].credits -= amount;
        credits[side][account][token] = 0;
        ++counts.claimed;
    }

    function collectFees(uint256 seed) external {
        uint256 side = seed & 1;
        enter(side);
        address token = tokens[(seed >> 8) % 3];
        uint256 fees = ledgers[side][token].fees;
        if (fees == 0) return;
        moody.setMood(MoodyToken.Mood.Honest);
        uint256 before = IERC20(token).balanceOf(treasury);
        bridges[side].collectFees(token);
        assertEq(IERC20(token).balanceOf(treasury) - before, fees, "fees collected");
        ledgers[side][token].fees = 0;
        ++counts.collected;
    }

    /// @dev Somebody sends tokens to a bridge by mistake: they must not upset the books.
    function donate(uint256 seed, uint64 amount) external {
        uint256 side = seed & 1;
        address token = tokens[(seed >> 8) % 3];
        DevnetToken(token).mint(address(bridges[side]), amount);
        ledgers[side][token].donated += amount;
    }

    function wait(uint16 seconds_) external {
        time += 1 + seconds_ % 240;
    }

    /// @dev To one of the two pickup windows of an intent with a bid.
    function waitForPickup(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, awaitsPickup);
        if (found) time = intents[at].endTime + seed % (2 * PICKUP);
    }

    /// @dev To the second from which a winner that didn't deliver has failed.
    function waitForFailure(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isDeposited);
        if (!found) return;
        uint256 failsAt = refundableAt(intents[at]);
        if (time < failsAt) time = failsAt;
    }

    /// @dev Sometimes so long that enclave keys expire.
    function waitLong(uint8 odds) external {
        if (odds % 8 == 0) time += KEY_LIFETIME;
    }

    /// @dev What a token's issuer, or a broken token, may do at any time.
    function upset(uint256 seed) external {
        address account = (seed >> 8) & 1 == 0 ? senders[seed % 3] : solvers[seed % 3];
        usdc.blacklist(account);
        moody.setMood(MoodyToken.Mood((seed >> 16) % (uint256(type(MoodyToken.Mood).max) + 1)));
    }

    function calm(uint256 seed) external {
        usdc.unBlacklist(senders[seed % 3]);
        usdc.unBlacklist(solvers[seed % 3]);
        moody.setMood(MoodyToken.Mood.Honest);
    }

    function reached() external view returns (Reached memory) {
        return counts;
    }

    /// @dev Sends an intent's escrow back and checks that exactly that arrives, or is credited.
    function giveBack(Expected storage intent, Phase end) internal {
        (uint256 side, address sender, address token) = (intent.side, intent.sender, intent.token);
        uint256 before = worth(side, sender, token);
        if (end == Phase.Cancelled) {
            vm.prank(sender);
            bridges[side].cancelIntent(intent.id);
        } else {
            bridges[side].refund(intent.id);
        }
        uint256 due = intent.amountA + intent.reward + intent.bond;
        assertEq(worth(side, sender, token) - before, due, "everything back");
        close(intent, end);
        noteCredit(side, sender, token, due);
    }

    /// @dev An intent is over: its escrow and bond are owed no more.
    function close(Expected storage intent, Phase end) internal {
        Ledger storage ledger = ledgers[intent.side][intent.token];
        ledger.open -= intent.amountA + intent.reward;
        ledger.bonds -= intent.bond;
        intent.phase = end;
        ++intent.payouts;
    }

    /// @dev If the push was refused, all of it must have become a credit.
    function noteCredit(uint256 side, address account, address token, uint256 due) internal {
        uint256 now_ = bridges[side].claimable(account, token);
        uint256 added = now_ - credits[side][account][token];
        assertTrue(added == 0 || added == due, "all or nothing is credited");
        bool refused = token == address(usdc)
            ? usdc.isBlacklisted(account)
            : token == address(moody) && moody.mood() != MoodyToken.Mood.Honest;
        assertEq(added == due, refused, "credited if and only if refused");
        if (refused) ++counts.credited;
        credits[side][account][token] = now_;
        ledgers[side][token].credits += added;
    }

    function settlementOf(Expected memory intent) internal view returns (Settlement memory) {
        return Settlement({
            intentId: intent.id,
            solver: intent.solver,
            destChainId: chains[1 - intent.side],
            chain2IntentId: (chains[1 - intent.side] << 64) | 1,
            solveTxHash: keccak256(abi.encode(intent.id)),
            amountB: intent.amountB,
            feeBps: intent.feeBps,
            deadline: time + 60
        });
    }

    /// @dev What an account has of a token, counting what it can claim.
    function worth(uint256 side, address account, address token) internal view returns (uint256) {
        return IERC20(token).balanceOf(account) + bridges[side].claimable(account, token);
    }

    function pick(uint256 seed, function(Expected memory) view returns (bool) allowed)
        internal
        view
        returns (bool, uint256)
    {
        uint256 count = intents.length;
        for (uint256 i = 0; i < count; ++i) {
            uint256 at = ((seed >> 64) % count + i) % count;
            if (allowed(intents[at])) return (true, at);
        }
        return (false, 0);
    }

    function canAnchor(Expected memory intent) internal view returns (bool) {
        return intent.phase == Phase.Open && intent.feeBps == 0 && time < intent.endTime;
    }

    function canBid(Expected memory intent) internal view returns (bool) {
        return intent.phase == Phase.Open && intent.feeBps != 0 && time < intent.endTime;
    }

    function canDeposit(Expected memory intent) internal view returns (bool) {
        return intent.phase == Phase.Open && intent.solver != address(0) && time >= intent.endTime
            && time < intent.endTime + 2 * PICKUP;
    }

    function awaitsPickup(Expected memory intent) internal view returns (bool) {
        return intent.phase == Phase.Open && intent.solver != address(0) && time < intent.endTime;
    }

    function isDeposited(Expected memory intent) internal pure returns (bool) {
        return intent.phase == Phase.Deposited;
    }

    function canCancel(Expected memory intent) internal pure returns (bool) {
        return intent.phase == Phase.Open && intent.solver == address(0);
    }

    function canRefund(Expected memory intent) internal view returns (bool) {
        return !isFinal(intent.phase) && time >= refundableAt(intent);
    }
}
