// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Anchor, Intent, Phase, Settlement} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice Random amounts, times and attestations, against a second copy of the rules.
contract BridgeFuzzTest is BridgeFixture {
    struct Terms {
        uint96 amountA;
        uint96 reward;
        uint96 expectedAmountB;
        uint96 surplusB;
        bool shielded;
    }

    /// @dev Settlement splits the escrow to the unit, whatever the amounts.
    function testFuzz_settle_splitsToTheUnit(Terms memory terms) public {
        uint256 id = createFrom(terms);
        uint256 committed = depositFrom(id, terms);
        uint256 before = balance(address(usdc), solver);
        assertEq(intentOf(id).amountB, committed);
        settle(id);

        uint256 fee = (uint256(terms.amountA) * (terms.shielded ? 700 : 250)) / 10_000;
        uint256 paid = balance(address(usdc), solver) - before;
        assertEq(paid, uint256(terms.amountA) - fee + terms.reward);
        assertEq(bridge.uncollectedFees(address(usdc)), fee);
        assertEq(lockedOf(solver), 0);
        uint256 staked = totalOf(solver) + totalOf(rival);
        assertEq(balance(address(usdc), address(bridge)), fee + staked);
    }

    /// @dev A failed intent returns everything to its sender, and nobody gets the bond, whatever
    ///      the amounts.
    function testFuzz_refund_failedReturnsEscrow(Terms memory terms) public {
        uint256 id = createFrom(terms);
        depositFrom(id, terms);
        uint256 before = balance(address(usdc), sender);
        vm.warp(block.timestamp + EXECUTION + GRACE);
        refund(id);
        uint256 back = balance(address(usdc), sender) - before;
        uint256 escrow = uint256(terms.amountA) + terms.reward;
        assertEq(back, escrow);
        assertEq(balance(address(usdc), nobody), escrow / 20);
        assertEq(balance(address(usdc), address(bridge)), totalOf(solver) + totalOf(rival));
    }

    /// @dev The windows of an auction, at any second and for any caller.
    function testFuzz_deposit_windows(uint16 offset, bool byBestBidder, uint32 amountB) public {
        uint256 id = anchored();
        uint256 best = EXPECTED + 1000;
        bid(id, solver, best);
        uint256 start = block.timestamp;
        uint256 at = uint256(offset) % 400;
        uint256 amount = EXPECTED - 1000 + uint256(amountB) % 3000;
        vm.warp(start + at);
        bool inTime = at >= DURATION && at < DURATION + 2 * PICKUP;
        bool good = inTime && byBestBidder && amount >= best;
        if (inTime && !byBestBidder && at >= DURATION + PICKUP) {
            uint256 floor = best - best * (at - DURATION - PICKUP) / 6_000;
            good = amount >= (floor > EXPECTED ? floor : EXPECTED);
        }
        Intent memory intent = intentOf(id);
        vm.prank(byBestBidder ? solver : rival);
        (bool done,) = address(bridge)
            .call(
                abi.encodeCall(
                    bridge.depositAndPickup, (id, intent.paramsHash, intent.blobsHash, amount)
                )
            );
        assertEq(done, good);
        assertEq(totalOf(solver), done && !byBestBidder ? STAKE - BOND : STAKE);
    }

    /// @dev When the escape path is open, at any second and in any situation.
    function testFuzz_refund_opensOnTime(uint16 offset, uint8 situation) public {
        uint256 start = block.timestamp;
        uint256 id = create();
        uint256 opensAt = start + DURATION;
        if (situation % 4 > 0) anchor(id);
        if (situation % 4 > 1) {
            bid(id, solver, EXPECTED);
            opensAt += 2 * PICKUP;
        }
        if (situation % 4 > 2) {
            vm.warp(start + DURATION);
            deposit(id, solver, EXPECTED);
            opensAt = start + DURATION + EXECUTION + GRACE;
        }
        vm.warp(bound(offset, block.timestamp, opensAt + 10));
        (bool done,) = address(bridge).call(abi.encodeCall(bridge.refund, (id)));
        assertEq(done, block.timestamp >= opensAt);
    }

    /// @dev The highest bid always leads, and only bids above it are accepted.
    function testFuzz_bids_onlyRise(uint96[6] memory amounts) public {
        uint256 id = anchored();
        uint256 best = EXPECTED - 1;
        for (uint256 i = 0; i < amounts.length; ++i) {
            uint256 amount = EXPECTED - 5 + amounts[i] % 20;
            address bidder = i % 2 == 0 ? solver : rival;
            vm.prank(bidder);
            (bool taken,) = address(bridge).call(abi.encodeCall(bridge.placeBid, (id, amount)));
            assertEq(taken, amount > best);
            if (!taken) continue;
            best = amount;
            assertEq(bridge.getIntent(id).solver, bidder);
            assertEq(bridge.getIntent(id).amountB, best);
        }
    }

    /// @dev Whoever signs, only the intent's own stored values settle it.
    function testFuzz_settle_onlyOnTheIntentsTerms(Settlement memory settlement, uint8 right)
        public
    {
        uint256 id = deposited();
        Settlement memory own = settlementOf(id);
        settlement.intentId = id;
        if (right & 1 != 0) settlement.solver = own.solver;
        if (right & 2 != 0) settlement.paramsHash = own.paramsHash;
        if (right & 4 != 0) settlement.blobsHash = own.blobsHash;
        if (right & 8 != 0) settlement.amountB = own.amountB;
        if (right & 16 != 0) {
            settlement.chain2IntentId = (DEST << 64) | (settlement.chain2IntentId & (2 ** 64 - 1));
        }
        bool good = settlement.solver == own.solver && settlement.paramsHash == own.paramsHash
            && settlement.blobsHash == own.blobsHash && settlement.amountB == own.amountB
            && settlement.chain2IntentId >> 64 == DEST;
        bytes memory signature = signed(address(bridge), settlement, enclave);
        (bool done,) =
            address(bridge).call(abi.encodeCall(bridge.settleIntent, (settlement, only(signature))));
        assertEq(done, good);
        assertEq(uint8(intentOf(id).phase), uint8(good ? Phase.Settled : Phase.Deposited));
    }

    /// @dev Bytes other than the enclave's signature settle nothing.
    function testFuzz_settle_noOtherSignature(bytes32 r, bytes32 s, uint8 v) public {
        Settlement memory settlement = settlementOf(deposited());
        bytes memory signature = abi.encodePacked(r, s, v);
        vm.assume(keccak256(signature) != keccak256(signed(address(bridge), settlement, enclave)));
        (bool done,) =
            address(bridge).call(abi.encodeCall(bridge.settleIntent, (settlement, only(signature))));
        assertFalse(done);
    }

    /// @dev A delivery pays each recipient to the unit, and the event has the exact sum.
    function testFuzz_solve_paysToTheUnit(uint64[5] memory amounts, uint8 count) public {
        uint256 intentId = create();
        vm.chainId(DEST);
        uint256 length = bound(count, 1, 5);
        address[] memory to = new address[](length);
        uint256[] memory due = new uint256[](length);
        uint256 total = 0;
        for (uint256 i = 0; i < length; ++i) {
            (to[i], due[i]) = (address(uint160(0xbeef00 + i)), uint256(amounts[i] % 1e15) + 1);
            total += due[i];
        }
        uint256 before = balance(address(usdc), solver);
        vm.prank(solver);
        bridge.solveIntent(SOURCE, intentId, 0, address(usdc), to, due, block.timestamp);
        assertEq(before - balance(address(usdc), solver), total);
        for (uint256 i = 0; i < length; ++i) {
            assertEq(balance(address(usdc), to[i]), due[i]);
        }
    }

    /// @dev Recipients that the token refuses are credited, to the unit; all others are paid.
    function testFuzz_solve_paysOrCredits(uint64[5] memory amounts, uint8 refused) public {
        vm.chainId(DEST);
        address[] memory to = new address[](5);
        uint256[] memory due = new uint256[](5);
        uint256 total = 0;
        uint256 credited = 0;
        for (uint256 i = 0; i < 5; ++i) {
            (to[i], due[i]) = (address(uint160(0xbeef00 + i)), uint256(amounts[i] % 1e15) + 1);
            total += due[i];
            if (refused & (1 << i) == 0) continue;
            usdc.blacklist(to[i]);
            credited += due[i];
        }
        uint256 before = balance(address(usdc), solver);
        uint256 held = balance(address(usdc), address(bridge));
        vm.prank(solver);
        bridge.solveIntent(SOURCE, (SOURCE << 64) | 1, 0, address(usdc), to, due, block.timestamp);
        assertEq(before - balance(address(usdc), solver), total);
        assertEq(balance(address(usdc), address(bridge)) - held, credited);
        for (uint256 i = 0; i < 5; ++i) {
            bool waits = refused & (1 << i) != 0;
            assertEq(balance(address(usdc), to[i]), waits ? 0 : due[i]);
            assertEq(bridge.claimableDelivery(to[i], address(usdc)), waits ? due[i] : 0);
        }
    }

    function createFrom(Terms memory terms) private returns (uint256 id) {
        uint256 most = type(uint96).max;
        terms.amountA = uint96(bound(terms.amountA, 10_000, most - most / 5));
        terms.reward = uint96(bound(terms.reward, 0, terms.amountA / 5));
        if (uint256(terms.amountA) + terms.reward > most) terms.reward = 0;
        terms.expectedAmountB = uint96(bound(terms.expectedAmountB, 1, most));
        enact(abi.encodeCall(bridge.listToken, (address(usdc), 10_000, most, 1)));
        usdc.mint(sender, uint256(terms.amountA) + terms.reward);
        usdc.mint(solver, most);
        stakeAs(solver, address(usdc), most / 20);
        vm.prank(sender);
        id = bridge.createIntent(
            address(usdc),
            tokenB,
            terms.amountA,
            terms.expectedAmountB,
            terms.reward,
            DEST,
            DURATION
        );
        Anchor memory given = anchorOf(id, BLOB);
        if (terms.shielded) given.feeBps = 700;
        anchor(given, BLOB);
    }

    function depositFrom(uint256 id, Terms memory terms) private returns (uint256 committed) {
        uint256 room = type(uint96).max - terms.expectedAmountB;
        committed = terms.expectedAmountB + bound(terms.surplusB, 0, room);
        bid(id, solver, committed);
        vm.warp(endOf(id));
        deposit(id, solver, committed);
    }
}
