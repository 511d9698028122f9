// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase, Settlement} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice What settlements pay, and whose signatures count for them.
contract SettlementTest is BridgeFixture {
    function test_settle_paysTheWinnerAndReleasesItsLock() public {
        uint256 id = deposited();
        uint256 before = balance(address(usdc), solver);
        uint256 payout = AMOUNT - 25e6 + REWARD;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentSettled(id, solver, payout, 25e6, (DEST << 64) | 7, enclave.addr);
        settle(id);
        assertEq(balance(address(usdc), solver) - before, payout);
        assertEq(bridge.uncollectedFees(address(usdc)), 25e6);
        assertEq(lockedOf(solver), 0);
        assertEq(totalOf(solver), STAKE);
        assertEq(intentOf(id).bond, 0);
        assertEq(uint8(intentOf(id).phase), uint8(Phase.Settled));
        assertEq(bridge.winnerOf(id), solver);
    }

    function test_settle_atAnyTimeUntilARefund() public {
        uint256 id = deposited();
        vm.warp(intentOf(id).fillDeadline + GRACE + 10 days);
        registerKey(registry, verifier, vm.createWallet("later"), operator, MEASUREMENT);
        settleBy(settlementOf(id), vm.createWallet("later"));
        assertEq(uint8(intentOf(id).phase), uint8(Phase.Settled));
    }

    function test_settle_needsADeposit() public {
        uint256 id = withBid();
        Settlement memory given = settlementOf(id);
        expectRefusal(given, wrongPhase(id, Phase.Open));
        given.intentId = id + 1;
        expectRefusal(given, abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, id + 1));
    }

    function test_settle_onceOnly() public {
        uint256 id = deposited();
        settle(id);
        expectRefusal(settlementOf(id), wrongPhase(id, Phase.Settled));
        id = deposited();
        vm.warp(intentOf(id).fillDeadline + GRACE);
        refund(id);
        expectRefusal(settlementOf(id), wrongPhase(id, Phase.Refunded));
    }

    function test_settle_onlyOnTheIntentsOwnValues() public {
        uint256 id = deposited();
        Settlement memory right = settlementOf(id);
        Settlement memory given = settlementOf(id);
        given.paramsHash = 0;
        expectRefusal(
            given, abi.encodeWithSelector(IBridgeErrors.WrongParams.selector, 0, right.paramsHash)
        );
        given = settlementOf(id);
        given.blobsHash = 0;
        expectRefusal(
            given, abi.encodeWithSelector(IBridgeErrors.WrongBlobs.selector, 0, right.blobsHash)
        );
        given = settlementOf(id);
        given.solver = rival;
        expectRefusal(
            given, abi.encodeWithSelector(IBridgeErrors.WrongSolver.selector, rival, solver)
        );
        for (uint256 amount = EXPECTED - 1; amount <= EXPECTED + 1; amount += 2) {
            given = settlementOf(id);
            given.amountB = amount;
            expectRefusal(
                given, abi.encodeWithSelector(IBridgeErrors.WrongAmount.selector, amount, EXPECTED)
            );
        }
        given = settlementOf(id);
        given.chain2IntentId = (SOURCE << 64) | 7;
        expectRefusal(
            given, abi.encodeWithSelector(IBridgeErrors.WrongDestination.selector, SOURCE, DEST)
        );
        settle(id);
    }

    function test_settle_anotherDeliveryThanSigned_reverts() public {
        Settlement memory given = settlementOf(deposited());
        bytes memory signature = signed(address(bridge), given, enclave);
        given.chain2IntentId += 1;
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.settleIntent(given, only(signature));
    }

    function test_settle_signedForAnotherBridgeOrChain_reverts() public {
        Settlement memory given = settlementOf(deposited());
        bytes memory signature = signed(address(registry), given, enclave);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.settleIntent(given, only(signature));
        vm.chainId(SOURCE + 1);
        signature = signed(address(bridge), given, enclave);
        vm.chainId(SOURCE);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        bridge.settleIntent(given, only(signature));
    }

    function test_settle_byAnUnregisteredKey_reverts() public {
        Settlement memory given = settlementOf(deposited());
        bytes memory signature = signed(address(bridge), given, quoting);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, quoting.addr)
        );
        bridge.settleIntent(given, only(signature));
    }

    /// @dev Where one signature is enough, revoking its key ends it.
    function test_settle_byARevokedKey_revertsWithAQuorumOfOne() public {
        uint256 id = deposited();
        vm.prank(owner);
        registry.revoke(enclave.addr);
        expectRefusal(
            settlementOf(id),
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, enclave.addr)
        );
    }

    /// @dev A key that was good at the deposit stays good for that intent.
    function test_settle_byAKeyExpiredSinceTheDeposit() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + KEY_LIFETIME);
        assertFalse(registry.isActive(enclave.addr));
        settle(id);
        assertEq(uint8(intentOf(id).phase), uint8(Phase.Settled));
    }

    function test_settle_signaturesOfOtherLengths_revert() public {
        Settlement memory given = settlementOf(deposited());
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.SignersNotSorted.selector, address(0), address(0))
        );
        bridge.settleIntent(given, only(bytes.concat(signature, hex"00")));
        vm.expectPartialRevert(IBridgeErrors.SignersNotSorted.selector);
        bridge.settleIntent(given, only(""));
    }

    function test_settle_shielded_keepsSevenPercent() public {
        uint256 id = create();
        anchorShielded(id);
        bid(id, solver, EXPECTED);
        vm.warp(endOf(id));
        deposit(id, solver, EXPECTED);
        settle(id);
        assertEq(bridge.uncollectedFees(address(usdc)), 70e6);
    }

    function anchorShielded(uint256 id) private {
        bytes32 terms = intentOf(id).paramsHash;
        bytes32 typeHash = keccak256(
            "Anchor(uint256 intentId,bytes32 paramsHash,bytes32 blobsHashBefore,uint16 feeBps,uint16 recipientClass,bytes32 blobHash)"
        );
        bytes memory encoded =
            abi.encode(typeHash, id, terms, bytes32(0), uint16(700), CLASS, keccak256(BLOB));
        bytes memory signature = sign(enclave, typedDigest(address(bridge), encoded));
        bridge.anchorIntent(id, terms, 0, 700, CLASS, BLOB, signature);
    }

    function expectRefusal(Settlement memory given, bytes memory reason) private {
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.expectRevert(reason);
        bridge.settleIntent(given, only(signature));
    }

    function wrongPhase(uint256 id, Phase current) private pure returns (bytes memory) {
        return
            abi.encodeWithSelector(IBridgeErrors.WrongPhase.selector, id, current, Phase.Deposited);
    }
}
