// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Adversary} from "./invariant/Adversary.sol";
import {Test} from "forge-std/Test.sol";

/// @notice Two bridges under everything that can happen to them, in random order.
/// @dev One campaign checks every property, because forge runs a campaign for each invariant
///      function. The handler checks each step's effect; here the books are compared after each.
contract BridgeInvariantsTest is Test {
    Adversary private handler;

    bytes4[] private steps;

    function setUp() public {
        handler = new Adversary();
        steps = [
            handler.create.selector,
            handler.create.selector,
            handler.anchor.selector,
            handler.anchor.selector,
            handler.bid.selector,
            handler.deposit.selector,
            handler.deposit.selector,
            handler.solve.selector,
            handler.settle.selector,
            handler.cancel.selector,
            handler.refund.selector,
            handler.claim.selector,
            handler.collectFees.selector,
            handler.donate.selector,
            handler.wait.selector,
            handler.waitForPickup.selector,
            handler.waitForFailure.selector,
            handler.waitLong.selector,
            handler.upset.selector,
            handler.calm.selector,
            handler.attackPhase.selector,
            handler.attackByReplay.selector,
            handler.attackWithAnotherKey.selector,
            handler.attackAsSomebodyElse.selector,
            handler.administer.selector
        ];
        targetSelector(FuzzSelector({addr: address(handler), selectors: steps}));
        targetContract(address(handler));
    }

    /// @dev Solvent to the unit, ids strictly counted, phases final, each intent paid out once.
    function invariant_theBooksBalance() public {
        handler.check(0);
        handler.check(1);
    }

    /// @dev After every run, with owner, relayer, enclave and goodwill gone, all escrow comes back.
    function afterInvariant() public {
        handler.endOfTheWorld();
    }

    /// @dev Steps at random get to every outcome and every attack: the campaign isn't vacuous.
    function test_randomSteps_reachEveryOutcome() public {
        for (uint256 i = 0; i < 1500; ++i) {
            bytes32 a = keccak256(abi.encode("step", i));
            bytes32 b = keccak256(abi.encode("first", i)) >> 160;
            bytes32 c = keccak256(abi.encode("second", i)) >> 160;
            bytes32 d = keccak256(abi.encode("third", i)) >> 160;
            bytes4 step = steps[uint256(a) % steps.length];
            bool narrow = step == handler.wait.selector || step == handler.waitLong.selector;
            bytes32 seed = narrow ? bytes32(uint256(uint8(uint256(a)))) : a;
            if (step == handler.donate.selector) b = bytes32(uint256(uint64(uint256(b))));
            (bool done, bytes memory reason) =
                address(handler).call(bytes.concat(step, seed, b, c, d));
            assertTrue(done, string(reason));
        }
        Adversary.Reached memory reached = handler.reached();
        assertGt(reached.settled, 0, "settled");
        assertGt(reached.cancelled, 0, "cancelled");
        assertGt(reached.expiredWithoutBid, 0, "expired without a bid");
        assertGt(reached.expiredWithBid, 0, "expired with a bid");
        assertGt(reached.failed, 0, "failed");
        assertGt(reached.credited, 0, "credited");
        assertGt(reached.claimed, 0, "claimed");
        assertGt(reached.collected, 0, "fees collected");
        assertGt(reached.delivered, 0, "delivered");
        assertGt(reached.replayed, 0, "replayed");
        assertGt(reached.deadKeyTried, 0, "dead keys tried");
        handler.check(0);
        handler.check(1);
        handler.endOfTheWorld();
    }
}
