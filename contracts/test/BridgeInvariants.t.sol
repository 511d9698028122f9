// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Adversary} from "./invariant/Adversary.sol";
import {Test} from "forge-std/Test.sol";

/// @notice Two bridges, and everything that can happen to them in random order.
/// @dev One campaign checks every property, because forge runs a campaign for each invariant
///      function. The handler checks each step's effect; here the books are compared after each.
contract BridgeInvariantsTest is Test {
    Adversary private handler;

    bytes4[] private steps;

    function setUp() public {
        handler = new Adversary();
        steps = [
            handler.create.selector,
            handler.auction.selector,
            handler.anchor.selector,
            handler.anchor.selector,
            handler.appendBlob.selector,
            handler.nameRecipients.selector,
            handler.bid.selector,
            handler.bid.selector,
            handler.deposit.selector,
            handler.deposit.selector,
            handler.ask.selector,
            handler.ask.selector,
            handler.reveal.selector,
            handler.solve.selector,
            handler.solve.selector,
            handler.settle.selector,
            handler.refundUndelivered.selector,
            handler.cancel.selector,
            handler.refund.selector,
            handler.moveStake.selector,
            handler.claim.selector,
            handler.claimDelivery.selector,
            handler.collectFees.selector,
            handler.donate.selector,
            handler.wait.selector,
            handler.waitForPickup.selector,
            handler.waitForDelivery.selector,
            handler.waitForFailure.selector,
            handler.upset.selector,
            handler.calm.selector,
            handler.attackPhase.selector,
            handler.attackByBidding.selector,
            handler.attackByDepositing.selector,
            handler.attackByReplay.selector,
            handler.attackByOtherValues.selector,
            handler.attackByRefundingEarly.selector,
            handler.attackWithAnotherKey.selector,
            handler.attackQuorum.selector,
            handler.attackDelivery.selector,
            handler.attackAsSomebodyElse.selector,
            handler.administer.selector
        ];
        targetSelector(FuzzSelector({addr: address(handler), selectors: steps}));
        targetContract(address(handler));
    }

    /// @dev Solvent to the unit, ids without gaps, final phases final, each intent paid out once.
    function invariant_theBooksBalance() public {
        handler.check(0);
        handler.check(1);
    }

    /// @dev After every run, without owner, relayers, enclaves or goodwill, all escrow comes back.
    function afterInvariant() public {
        handler.endOfTheWorld();
    }

    /// @dev Random steps reach every outcome and every attack: the campaign isn't vacuous.
    function test_randomSteps_reachEveryOutcome() public {
        for (uint256 i = 0; i < 2600; ++i) {
            bytes32 a = keccak256(abi.encode("step", i));
            bytes32 b = keccak256(abi.encode("first", i)) >> 160;
            bytes32 c = keccak256(abi.encode("second", i)) >> 160;
            bytes32 d = keccak256(abi.encode("third", i)) >> 160;
            bytes4 step = steps[uint256(a) % steps.length];
            if (step == handler.donate.selector) b = bytes32(uint256(uint64(uint256(b))));
            (bool done, bytes memory reason) = address(handler).call(bytes.concat(step, a, b, c, d));
            if (!done) revert(string.concat("step ", vm.toString(i), ": ", string(reason)));
        }
        Adversary.Reached memory reached = handler.reached();
        assertGt(reached.settled, 0, "settled");
        assertGt(reached.cancelled, 0, "cancelled");
        assertGt(reached.cancelledWithBid, 0, "cancelledWithBid");
        assertGt(reached.expiredWithoutBid, 0, "expiredWithoutBid");
        assertGt(reached.expiredWithBid, 0, "expiredWithBid");
        assertGt(reached.failed, 0, "failed");
        assertGt(reached.excused, 0, "excused");
        assertGt(reached.undelivered, 0, "undelivered");
        assertGt(reached.takenOver, 0, "takenOver");
        assertGt(reached.outbid, 0, "outbid");
        assertGt(reached.revealed, 0, "revealed");
        assertGt(reached.credited, 0, "credited");
        assertGt(reached.claimed, 0, "claimed");
        assertGt(reached.collected, 0, "collected");
        assertGt(reached.delivered, 0, "delivered");
        assertGt(reached.deliveredLate, 0, "deliveredLate");
        assertGt(reached.deliveryCredited, 0, "deliveryCredited");
        assertGt(reached.deliveryClaimed, 0, "deliveryClaimed");
        assertGt(reached.replayed, 0, "replayed");
        assertGt(reached.deadKeyTried, 0, "deadKeyTried");
        assertGt(reached.quorumTried, 0, "quorumTried");
        handler.check(0);
        handler.check(1);
        handler.endOfTheWorld();
    }
}
