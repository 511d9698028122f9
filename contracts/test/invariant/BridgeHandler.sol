// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {DevnetToken} from "../../src/devnet/DevnetToken.sol";
import {
    Anchor,
    Append,
    Intent,
    NotDelivered,
    Phase,
    Reveal,
    Settlement
} from "../../src/interfaces/BridgeTypes.sol";
import {MoodyToken} from "../support/HostileTokens.sol";
import {BridgeModel} from "./BridgeModel.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Plays every role by the rules, and checks that each step moves exactly what it should.
/// @dev Each function takes the next intent, from a random place on, for which it is allowed. The
///      enclaves' part follows the destination bridge's storage, as enclaves do.
contract BridgeHandler is BridgeModel {
    bytes internal constant BLOB = hex"01aa";

    /// @dev Settlements that were accepted, for replaying.
    Settlement[] internal accepted;
    bytes[] internal acceptedSignatures;

    function create(uint256 seed, uint96 amountA, uint96 reward, uint96 expectedAmountB) public {
        uint256 side = seed & 1;
        enter(side);
        Expected memory intent;
        intent.side = side;
        intent.sender = senders[(seed >> 8) % 3];
        intent.token = tokens[(seed >> 16) % 3];
        intent.quorum = quorums[(seed >> 16) % 3];
        intent.tokenB = tokens[(seed >> 24) % 3];
        intent.amountA = bound(amountA, 10_000, 1e24);
        intent.reward = bound(reward, 0, intent.amountA / 5);
        intent.expectedAmountB = bound(expectedAmountB, 1, 1e22);
        intent.duration = 20 + (seed >> 32) % 200;
        intent.endTime = clock[side] + intent.duration;
        uint256 firm = intent.duration / 3;
        intent.firmAt = intent.endTime - (firm > FIRM ? FIRM : firm);
        intent.phase = Phase.Open;
        bool byPeriphery = (seed >> 40) % 4 == 0;
        if (byPeriphery) intent.blobsHash = folded(0, 1, BLOB);
        usdc.unBlacklist(intent.sender);
        intent.id = send(intent, byPeriphery);
        assertEq(intent.id, (chains[side] << 64) | ++intentCount[side], "ids have no gaps");
        intents.push(intent);
    }

    function anchor(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canAnchor);
        if (!found) return;
        anchorNow(intents[at], seed);
    }

    /// @dev A whole auction in one step, so that even a short run has winners, and best bidders
    ///      that abandon their win.
    function auction(uint256 seed, uint96 amountA, uint96 reward, uint96 expectedAmountB) external {
        create(seed, amountA, reward, expectedAmountB);
        Expected storage intent = intents[intents.length - 1];
        anchorNow(intent, seed);
        address by = solvers[(seed >> 8) % 3];
        if (!hasFree(intent, by)) return;
        lead(intent, by, intent.expectedAmountB + (seed >> 48) % 1e18);
        clock[intent.side] = intent.endTime;
        // One in four doesn't show up.
        if ((seed >> 42) % 4 == 0) return;
        enter(intent.side);
        sendDeposit(intent, by, intent.amountB);
        win(intent, by, intent.amountB);
    }

    function anchorNow(Expected storage intent, uint256 seed) private {
        enter(intent.side);
        intent.feeBps = (seed >> 40) & 1 == 0 ? 250 : 700;
        sendAnchor(intent, intent.feeBps);
        intent.blobsHash = folded(intent.blobsHash, 2, BLOB);
    }

    function appendBlob(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, any);
        if (!found) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        sendAppend(intent);
        if (clock[intent.side] < intent.firmAt) {
            intent.blobsHash = folded(intent.blobsHash, 3, BLOB);
        }
    }

    function nameRecipients(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canName);
        if (!found) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        vm.prank(intent.sender);
        bridges[intent.side].nameRecipients(intent.id, BLOB);
        intent.named = true;
        intent.blobsHash = folded(intent.blobsHash, 4, BLOB);
    }

    function bid(uint256 seed, uint96 extra) external {
        (bool found, uint256 at) = pick(seed, canBid);
        if (!found) return;
        Expected storage intent = intents[at];
        if (intent.amountB == type(uint96).max) return;
        enter(intent.side);
        uint256 least = intent.solver == address(0) ? intent.expectedAmountB : intent.amountB + 1;
        // Sometimes the maximum: what a spoiler would bid.
        uint256 most = (seed >> 40) % 16 == 0 ? type(uint96).max : least + 1e18;
        uint256 amountB = bound(extra, least, most > type(uint96).max ? type(uint96).max : most);
        address by = solvers[(seed >> 8) % 3];
        if (hasFree(intent, by)) lead(intent, by, amountB);
    }

    function lead(Expected storage intent, address by, uint256 amountB) private {
        vm.prank(by);
        bridges[intent.side].placeBid(intent.id, amountB);
        if (intent.solver != address(0) && intent.solver != by) ++counts.outbid;
        unlock(intent);
        (intent.solver, intent.amountB) = (by, amountB);
        locks[intent.side][by][intent.token] += calculateBond(intent);
    }

    function deposit(uint256 seed, uint96 extra) external {
        (bool found, uint256 at) = pick(seed, canDeposit);
        if (!found) return;
        Expected storage intent = intents[at];
        uint256 side = intent.side;
        enter(side);
        bool reserved = clock[side] < intent.endTime + PICKUP;
        address by = reserved ? intent.solver : solvers[(seed >> 8) % 3];
        uint256 floor = floorFor(intent, by);
        uint256 amountB = bound(extra, floor, floor + 1e18);
        if (amountB > type(uint96).max) amountB = type(uint96).max;
        if (by != intent.solver) {
            if (!hasFree(intent, by)) return;
            noteTakeover(intent, by, amountB);
        } else {
            sendDeposit(intent, by, amountB);
        }
        win(intent, by, amountB);
    }

    function win(Expected storage intent, address by, uint256 amountB) private {
        (intent.solver, intent.amountB) = (by, amountB);
        intent.fillDeadline = clock[intent.side] + EXECUTION;
        intent.phase = Phase.Deposited;
    }

    /// @dev Waits for the second quarter of the window if nobody can ask yet.
    function ask(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canAsk);
        if (!found) (found, at) = pick(seed, mayAskLater);
        if (!found) return;
        Expected storage intent = intents[at];
        if (!canAsk(intent)) clock[intent.side] = intent.fillDeadline - EXECUTION / 4 * 3;
        enter(intent.side);
        vm.prank(intent.solver);
        bridges[intent.side].askRecipients(intent.id);
        intent.asked = true;
    }

    function reveal(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canReveal);
        if (!found || (seed >> 40) & 1 == 0) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        renewDeadKeys(intent.side);
        Intent memory shown = bridges[intent.side].getIntent(intent.id);
        Reveal memory given = Reveal(
            intent.id,
            shown.paramsHash,
            intent.blobsHash,
            intent.solver,
            intent.amountB,
            keccak256(BLOB)
        );
        bytes[] memory signatures = new bytes[](intent.quorum);
        for (uint256 i = 0; i < intent.quorum; ++i) {
            signatures[i] = signed(address(bridges[intent.side]), given, signer(intent, i));
        }
        bridges[intent.side].revealRecipients(intent.id, BLOB, signatures);
        intent.revealed = true;
        ++counts.revealed;
    }

    /// @dev The winner delivers to the recipients it was given, in time or not, whether or not the
    ///      token accepts one of them.
    function solve(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canSolve);
        if (!found) return;
        Expected storage intent = intents[at];
        uint256 there = 1 - intent.side;
        enter(there);
        usdc.unBlacklist(intent.solver);
        uint256 before = IERC20(intent.tokenB).balanceOf(intent.solver);
        (address[] memory to, uint256[] memory amounts) = bundleOf(intent);
        uint256[2] memory had = [worthThere(intent, to[0]), worthThere(intent, to[1])];
        intent.chain2IntentId = sendDelivery(intent);
        assertEq(
            intent.chain2IntentId,
            (chains[there] << 64) | ++deliveryCount[there],
            "deliveries have no gaps"
        );
        uint256 spent = before - IERC20(intent.tokenB).balanceOf(intent.solver);
        assertEq(spent, intent.amountB, "the winner paid its commitment");
        for (uint256 i = 0; i < 2; ++i) {
            assertEq(worthThere(intent, to[i]) - had[i], amounts[i], "each has its amount");
            noteRefusal(intent, to[i], amounts[i]);
        }
        intent.solved = true;
        if (clock[there] < intent.fillDeadline) ++counts.delivered;
        else ++counts.deliveredLate;
    }

    function settle(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canSettle);
        if (!found) return;
        Expected storage intent = intents[at];
        uint256 side = intent.side;
        enter(side);
        renewDeadKeys(side);
        Settlement memory settlement = settlementOf(intent);
        bytes[] memory signatures = signaturesOf(intent, settlement);
        uint256 before = worth(side, intent.solver, intent.token);
        uint256 creditBefore = bridges[side].claimable(intent.solver, intent.token);
        bridges[side].settleIntent(settlement, signatures);
        intent.paidOut += worth(side, intent.solver, intent.token) - before;
        fees[side][intent.token] += feeOf(intent);
        unlock(intent);
        intent.phase = Phase.Settled;
        noteCredit(intent, intent.solver, creditBefore);
        ++counts.settled;
        if (intent.quorum != 1) return;
        accepted.push(settlement);
        acceptedSignatures.push(signatures[0]);
    }

    function refundUndelivered(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isUndelivered);
        if (!found) return;
        Expected storage intent = intents[at];
        enter(intent.side);
        renewDeadKeys(intent.side);
        giveBack(intent, Phase.Refunded, true);
        ++counts.undelivered;
    }

    function cancel(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canCancel);
        if (!found) return;
        if (intents[at].solver != address(0)) ++counts.cancelledWithBid;
        giveBack(intents[at], Phase.Cancelled, false);
        ++counts.cancelled;
    }

    function refund(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, canRefund);
        if (!found) return;
        Expected storage intent = intents[at];
        if (intent.phase == Phase.Deposited) ++counts.failed;
        else if (intent.solver != address(0)) ++counts.expiredWithBid;
        else ++counts.expiredWithoutBid;
        giveBack(intent, Phase.Refunded, false);
    }

    function moveStake(uint256 seed, uint96 amount) external {
        uint256 side = seed & 1;
        enter(side);
        moody.setMood(MoodyToken.Mood.Honest);
        address by = solvers[(seed >> 8) % 3];
        address token = tokens[(seed >> 16) % 3];
        usdc.unBlacklist(by);
        uint256 total = stakes[side][by][token];
        uint256 free = total - locks[side][by][token];
        uint256 given = bound(amount, 1, 1e27);
        vm.startPrank(by);
        if ((seed >> 24) & 1 == 0 || free < given) {
            bridges[side].stake(token, given);
            stakes[side][by][token] = total + given;
        } else {
            uint256 before = IERC20(token).balanceOf(by);
            bridges[side].unstake(token, given);
            assertEq(IERC20(token).balanceOf(by) - before, given, "unstaked");
            stakes[side][by][token] = total - given;
        }
        vm.stopPrank();
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
        credits[side][account][token] = 0;
        ++counts.claimed;
    }

    function claimDelivery(uint256 seed) external {
        uint256 side = seed & 1;
        enter(side);
        address token = tokens[(seed >> 8) % 3];
        address account = recipients[(seed >> 16) % 3];
        uint256 amount = refusedDeliveries[side][account][token];
        if (amount == 0) return;
        moody.setMood(MoodyToken.Mood.Honest);
        usdc.unBlacklist(account);
        uint256 before = IERC20(token).balanceOf(account);
        bridges[side].claimDelivery(account, token);
        assertEq(IERC20(token).balanceOf(account) - before, amount, "to the recipient alone");
        refusedDeliveries[side][account][token] = 0;
        ++counts.deliveryClaimed;
    }

    function collectFees(uint256 seed) external {
        uint256 side = seed & 1;
        enter(side);
        address token = tokens[(seed >> 8) % 3];
        uint256 due = fees[side][token];
        if (due == 0) return;
        moody.setMood(MoodyToken.Mood.Honest);
        uint256 before = IERC20(token).balanceOf(treasury);
        bridges[side].collectFees(token);
        assertEq(IERC20(token).balanceOf(treasury) - before, due, "fees collected");
        fees[side][token] = 0;
        ++counts.collected;
    }

    /// @dev Somebody sends tokens to a bridge by mistake: they must not upset the books.
    function donate(uint256 seed, uint64 amount) external {
        uint256 side = seed & 1;
        address token = tokens[(seed >> 8) % 3];
        DevnetToken(token).mint(address(bridges[side]), amount);
        donated[side][token] += amount;
    }

    /// @dev The two chains' clocks advance independently.
    function wait(uint256 seed) external {
        clock[0] += 1 + seed % 40;
        clock[1] += 1 + (seed >> 8) % 40;
    }

    /// @dev To one of the two pickup windows of an intent with a bid.
    function waitForPickup(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, awaitsPickup);
        if (found) clock[intents[at].side] = intents[at].endTime + seed % (2 * PICKUP);
    }

    /// @dev Somewhere into the execution window or just past it, on either chain.
    function waitForDelivery(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isDeposited);
        if (!found) return;
        uint256 there = (seed >> 40) & 1;
        uint256 into = (seed >> 48) % (EXECUTION + 60);
        if ((seed >> 41) & 1 == 0) into = EXECUTION / 4 + into % (EXECUTION / 4);
        uint256 to = intents[at].fillDeadline - EXECUTION + into;
        if (clock[there] < to) clock[there] = to;
    }

    /// @dev To the second from which a winner that didn't deliver has failed.
    function waitForFailure(uint256 seed) external {
        (bool found, uint256 at) = pick(seed, isDeposited);
        if (!found || (seed >> 40) % 3 != 0) return;
        uint256 failsAt = refundableAt(intents[at]);
        if (clock[intents[at].side] < failsAt) clock[intents[at].side] = failsAt;
    }

    /// @dev What a token's issuer, or a broken token, may do at any time.
    function upset(uint256 seed) external {
        address[3] storage group = seed % 3 == 0 ? senders : seed % 3 == 1 ? solvers : recipients;
        usdc.blacklist(group[(seed >> 8) % 3]);
        moody.setMood(MoodyToken.Mood((seed >> 16) % (uint256(type(MoodyToken.Mood).max) + 1)));
    }

    function calm(uint256 seed) external {
        usdc.unBlacklist(senders[seed % 3]);
        usdc.unBlacklist(solvers[seed % 3]);
        usdc.unBlacklist(recipients[seed % 3]);
        moody.setMood(MoodyToken.Mood.Honest);
    }

    function reached() external view returns (Reached memory) {
        return counts;
    }

    /// @dev Sends an intent's escrow back and checks that exactly that arrives, or is credited, and
    ///      that a lock is forfeited or released.
    function giveBack(Expected storage intent, Phase end, bool attested) internal {
        (uint256 side, address sender, address token) = (intent.side, intent.sender, intent.token);
        enter(side);
        uint256 before = worth(side, sender, token);
        uint256 creditBefore = bridges[side].claimable(sender, token);
        uint256 lost = worth(side, nobody, token);
        if (end == Phase.Cancelled) {
            vm.prank(sender);
            bridges[side].cancelIntent(intent.id);
        } else if (attested) {
            NotDelivered memory given = notDeliveredOf(intent);
            bridges[side].refundUndelivered(given, signaturesOf(intent, given));
        } else {
            bridges[side].refund(intent.id);
        }
        intent.paidOut += worth(side, sender, token) - before;
        lost = worth(side, nobody, token) - lost;
        bool excused = intent.asked && !intent.revealed;
        bool forfeits = end == Phase.Refunded && intent.solver != address(0) && !excused;
        assertEq(lost, forfeits ? calculateBond(intent) : 0, "forfeited to nobody");
        if (intent.solver != address(0) && excused && end == Phase.Refunded) ++counts.excused;
        if (forfeits) stakes[side][intent.solver][token] -= calculateBond(intent);
        unlock(intent);
        intent.phase = end;
        noteCredit(intent, sender, creditBefore);
    }

    /// @dev The best bidder's or winner's lock is gone.
    function unlock(Expected storage intent) internal {
        if (intent.solver == address(0)) return;
        locks[intent.side][intent.solver][intent.token] -= calculateBond(intent);
    }

    function noteTakeover(Expected storage intent, address by, uint256 amountB) private {
        uint256 lost = worth(intent.side, nobody, intent.token);
        sendDeposit(intent, by, amountB);
        lost = worth(intent.side, nobody, intent.token) - lost;
        assertEq(lost, calculateBond(intent), "the best bidder's lock is lost to all");
        unlock(intent);
        stakes[intent.side][intent.solver][intent.token] -= calculateBond(intent);
        locks[intent.side][by][intent.token] += calculateBond(intent);
        ++counts.takenOver;
    }

    /// @dev If the push was refused, all of it must have become a credit.
    function noteCredit(Expected storage intent, address account, uint256 before) internal {
        uint256 now_ = bridges[intent.side].claimable(account, intent.token);
        uint256 added = now_ - before;
        uint256 due = intent.paidOut;
        assertTrue(added == 0 || added == due, "all or nothing is credited");
        bool refused = intent.token == address(usdc)
            ? usdc.isBlacklisted(account)
            : intent.token == address(moody) && moody.mood() != MoodyToken.Mood.Honest;
        assertEq(added == due, refused, "credited if and only if refused");
        if (refused) ++counts.credited;
        credits[intent.side][account][intent.token] = now_;
    }

    function noteRefusal(Expected storage intent, address to, uint256 amount) private {
        bool refused = intent.tokenB == address(usdc)
            ? usdc.isBlacklisted(to)
            : intent.tokenB == address(moody) && to == moody.refusedReceiver()
                && moody.mood() != MoodyToken.Mood.Honest;
        if (!refused) return;
        refusedDeliveries[1 - intent.side][to][intent.tokenB] += amount;
        ++counts.deliveryCredited;
    }

    function send(Expected memory intent, bool byPeriphery) private returns (uint256) {
        BridgeIntentV2 bridge = bridges[intent.side];
        vm.prank(byPeriphery ? periphery : intent.sender);
        if (byPeriphery) {
            return bridge.createIntentFor(
                intent.sender,
                intent.token,
                intent.tokenB,
                intent.amountA,
                intent.expectedAmountB,
                intent.reward,
                chains[1 - intent.side],
                intent.duration,
                BLOB
            );
        }
        return bridge.createIntent(
            intent.token,
            intent.tokenB,
            intent.amountA,
            intent.expectedAmountB,
            intent.reward,
            chains[1 - intent.side],
            intent.duration
        );
    }

    function sendAnchor(Expected storage intent, uint16 feeBps) private {
        BridgeIntentV2 bridge = bridges[intent.side];
        renewDeadKeys(intent.side);
        Anchor memory given = Anchor(
            intent.id,
            bridge.getIntent(intent.id).paramsHash,
            intent.blobsHash,
            feeBps,
            2,
            keccak256(BLOB)
        );
        bytes memory signature = signed(address(bridge), given, attesters[intent.side][0]);
        bridge.anchorIntent(
            intent.id, given.paramsHash, intent.blobsHash, feeBps, 2, BLOB, signature
        );
    }

    function sendAppend(Expected storage intent) private {
        BridgeIntentV2 bridge = bridges[intent.side];
        renewDeadKeys(intent.side);
        bytes32 terms = bridge.getIntent(intent.id).paramsHash;
        Append memory given = Append(intent.id, terms, intent.blobsHash, keccak256(BLOB));
        bytes memory signature = signed(address(bridge), given, attesters[intent.side][0]);
        bridge.appendBlob(intent.id, terms, intent.blobsHash, BLOB, signature);
    }

    function sendDeposit(Expected storage intent, address by, uint256 amountB) private {
        BridgeIntentV2 bridge = bridges[intent.side];
        bytes32 terms = bridge.getIntent(intent.id).paramsHash;
        vm.prank(by);
        bridge.depositAndPickup(intent.id, terms, intent.blobsHash, amountB);
    }

    function sendDelivery(Expected storage intent) private returns (uint256) {
        (address[] memory to, uint256[] memory amounts) = bundleOf(intent);
        vm.prank(intent.solver);
        return bridges[1
                - intent.side].solveIntent(
            chains[intent.side],
            intent.id,
            readIntentTerms(intent),
            intent.tokenB,
            to,
            amounts,
            block.timestamp
        );
    }

    /// @dev `paramsHash`, whichever chain the simulation is on now.
    function readIntentTerms(Expected memory intent) internal view returns (bytes32) {
        return keccak256(
            abi.encode(
                chains[intent.side],
                address(bridges[intent.side]),
                intent.sender,
                intent.token,
                intent.tokenB,
                intent.amountA,
                intent.expectedAmountB,
                intent.reward,
                chains[1 - intent.side],
                intent.duration
            )
        );
    }

    /// @dev What every enclave computes from the frozen blobs and the winning amount.
    function bundleOf(Expected memory intent)
        internal
        view
        returns (address[] memory to, uint256[] memory amounts)
    {
        (to, amounts) = (new address[](2), new uint256[](2));
        (to[0], to[1]) = (recipients[intent.id % 2], recipients[2]);
        amounts[0] = intent.amountB / 3 + 1;
        if (intent.amountB > amounts[0]) amounts[1] = intent.amountB - amounts[0];
    }

    function deliveryKey(Expected memory intent) internal view returns (bytes32) {
        (address[] memory to, uint256[] memory amounts) = bundleOf(intent);
        return keccak256(
            abi.encode(
                chains[intent.side],
                intent.id,
                readIntentTerms(intent),
                intent.tokenB,
                intent.solver,
                keccak256(abi.encode(to, amounts))
            )
        );
    }

    function settlementOf(Expected memory intent) internal view returns (Settlement memory) {
        return Settlement(
            intent.id,
            readIntentTerms(intent),
            intent.blobsHash,
            intent.solver,
            intent.amountB,
            intent.chain2IntentId
        );
    }

    function notDeliveredOf(Expected memory intent) internal view returns (NotDelivered memory) {
        return NotDelivered(
            intent.id,
            readIntentTerms(intent),
            intent.blobsHash,
            intent.solver,
            intent.amountB,
            intent.fillDeadline
        );
    }

    function signaturesOf(Expected memory intent, Settlement memory given)
        internal
        view
        returns (bytes[] memory signatures)
    {
        signatures = new bytes[](intent.quorum);
        for (uint256 i = 0; i < intent.quorum; ++i) {
            signatures[i] = signed(address(bridges[intent.side]), given, signer(intent, i));
        }
    }

    function signaturesOf(Expected memory intent, NotDelivered memory given)
        internal
        view
        returns (bytes[] memory signatures)
    {
        signatures = new bytes[](intent.quorum);
        for (uint256 i = 0; i < intent.quorum; ++i) {
            signatures[i] = signed(address(bridges[intent.side]), given, signer(intent, i));
        }
    }

    /// @dev The i-th signer for an intent, in rising order.
    function signer(Expected memory intent, uint256 i) internal view returns (Vm.Wallet memory) {
        Vm.Wallet[2] storage keys = attesters[intent.side];
        if (intent.quorum == 1) return keys[0];
        bool inOrder = keys[0].addr < keys[1].addr;
        return keys[inOrder == (i == 0) ? 0 : 1];
    }

    function renewDeadKeys(uint256 side) internal {
        for (uint256 i = 0; i < 2; ++i) {
            if (!registries[side].isActive(attesters[side][i].addr)) renewKey(side, i);
        }
    }

    function folded(bytes32 previous, uint8 kind, bytes memory blob)
        private
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(previous, kind, keccak256(blob)));
    }

    /// @dev An account's balance of a token plus what it can claim.
    function worth(uint256 side, address account, address token) internal view returns (uint256) {
        return IERC20(token).balanceOf(account) + bridges[side].claimable(account, token);
    }

    function worthThere(Expected memory intent, address to) private view returns (uint256) {
        uint256 waits = bridges[1 - intent.side].claimableDelivery(to, intent.tokenB);
        return IERC20(intent.tokenB).balanceOf(to) + waits;
    }

    function hasFree(Expected memory intent, address by) private view returns (bool) {
        if (by == intent.solver) return true;
        uint256 free = stakes[intent.side][by][intent.token];
        free -= locks[intent.side][by][intent.token];
        return free >= calculateBond(intent);
    }

    /// @dev Least commitment with which an account may pick an intent up now.
    function floorFor(Expected memory intent, address by) internal view returns (uint256) {
        if (by == intent.solver) return intent.amountB;
        uint256 elapsed = clock[intent.side] - intent.endTime - PICKUP;
        uint256 floor = intent.amountB - intent.amountB * elapsed / (100 * PICKUP);
        return floor > intent.expectedAmountB ? floor : intent.expectedAmountB;
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

    function any(Expected memory) internal pure returns (bool) {
        return true;
    }

    function canName(Expected memory intent) internal view returns (bool) {
        return intent.phase == Phase.Open && !intent.named && clock[intent.side] < intent.firmAt;
    }

    function canAnchor(Expected memory intent) internal view returns (bool) {
        return
            intent.phase == Phase.Open && intent.feeBps == 0 && clock[intent.side] < intent.firmAt;
    }

    function canBid(Expected memory intent) internal view returns (bool) {
        return
            intent.phase == Phase.Open && intent.feeBps != 0 && clock[intent.side] < intent.endTime;
    }

    function canDeposit(Expected memory intent) internal view returns (bool) {
        uint256 now_ = clock[intent.side];
        return intent.phase == Phase.Open && intent.solver != address(0) && now_ >= intent.endTime
            && now_ < intent.endTime + 2 * PICKUP;
    }

    function awaitsPickup(Expected memory intent) internal view returns (bool) {
        return intent.phase == Phase.Open && intent.solver != address(0)
            && clock[intent.side] < intent.endTime;
    }

    function isDeposited(Expected memory intent) internal pure returns (bool) {
        return intent.phase == Phase.Deposited;
    }

    function canAsk(Expected memory intent) internal view returns (bool) {
        if (intent.phase != Phase.Deposited || intent.asked || intent.revealed) return false;
        uint256 into = clock[intent.side] + EXECUTION - intent.fillDeadline;
        return into >= EXECUTION / 4 && into < EXECUTION / 2;
    }

    function mayAskLater(Expected memory intent) internal view returns (bool) {
        if (intent.phase != Phase.Deposited || intent.asked || intent.revealed) return false;
        return clock[intent.side] + EXECUTION - intent.fillDeadline < EXECUTION / 4;
    }

    function canReveal(Expected memory intent) internal view returns (bool) {
        if (intent.phase != Phase.Deposited || intent.revealed) return false;
        return clock[intent.side] + EXECUTION - intent.fillDeadline < EXECUTION * 3 / 4;
    }

    function canSolve(Expected memory intent) internal pure returns (bool) {
        return intent.phase == Phase.Deposited && !intent.solved && intent.amountB >= 3;
    }

    /// @dev As enclaves judge it: the slot on the destination chain holds a time before the
    ///      deadline.
    function canSettle(Expected memory intent) internal view returns (bool) {
        if (intent.phase != Phase.Deposited) return false;
        (uint64 sequence, uint64 solvedAt) =
            bridges[1 - intent.side].deliveryAt(deliveryKey(intent));
        return sequence != 0 && solvedAt < intent.fillDeadline;
    }

    /// @dev As enclaves judge it: past the deadline there, the slot is empty or holds a later
    ///      time.
    function isUndelivered(Expected memory intent) internal view returns (bool) {
        if (intent.phase != Phase.Deposited || canSettle(intent)) return false;
        return
            clock[1 - intent.side] >= intent.fillDeadline
                && clock[intent.side] >= intent.fillDeadline;
    }

    function canCancel(Expected memory intent) internal view returns (bool) {
        if (intent.phase != Phase.Open) return false;
        return intent.solver == address(0) || clock[intent.side] < intent.firmAt;
    }

    function canRefund(Expected memory intent) internal view returns (bool) {
        return !isFinal(intent.phase) && clock[intent.side] >= refundableAt(intent);
    }
}
