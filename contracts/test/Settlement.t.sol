// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../src/BridgeIntentV2.sol";
import {Phase, Settlement} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {Vm} from "forge-std/Test.sol";

contract SettlementTest is BridgeFixture {
    uint256 private constant FEE = 25e6;
    uint256 private constant PAYOUT = AMOUNT - FEE + REWARD + BOND;

    function test_settle_paysTheWinnerAndKeepsTheFee() public {
        uint256 id = deposited();
        uint256 before = balance(address(usdc), solver);
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentSettled(
            id, solver, PAYOUT, FEE, (DEST << 64) | 7, keccak256("solve"), enclave.addr
        );
        settle(id);
        assertEq(balance(address(usdc), solver) - before, PAYOUT);
        assertEq(balance(address(usdc), address(bridge)), FEE);
        assertEq(bridge.uncollectedFees(address(usdc)), FEE);
        assertEq(uint8(bridge.getIntent(id).phase), uint8(Phase.Settled));
        assertEq(bridge.winnerOf(id), solver);
    }

    function test_settle_shieldedFeeIsRoundedDown() public {
        vm.prank(sender);
        uint256 id =
            bridge.createIntent(address(usdc), tokenB, 1_000_099, EXPECTED, 3, DEST, DURATION);
        vm.prank(relayer);
        bridge.anchorIntent(id, 700, hex"01");
        bid(id, solver, EXPECTED);
        vm.warp(endOf(id));
        deposit(id, solver, EXPECTED);
        uint256 before = balance(address(usdc), solver);
        Settlement memory settlement = settlementOf(id);
        settlement.feeBps = 700;
        settle(settlement);
        assertEq(bridge.uncollectedFees(address(usdc)), 70_006);
        uint256 bond = 50_004;
        assertEq(balance(address(usdc), solver) - before, 1_000_099 - 70_006 + 3 + bond);
    }

    function test_settle_moreThanCommittedIsFine() public {
        Settlement memory settlement = settlementOf(deposited());
        settlement.amountB = EXPECTED + 1;
        settle(settlement);
        assertEq(uint8(bridge.getIntent(settlement.intentId).phase), uint8(Phase.Settled));
    }

    function test_settle_atTheAttestationsDeadline() public {
        Settlement memory settlement = settlementOf(deposited());
        bytes memory signature = attest(bridge, settlement, enclave);
        vm.warp(settlement.deadline);
        bridge.settleIntent(settlement, signature);
        assertEq(bridge.uncollectedFees(address(usdc)), FEE);
    }

    function test_settle_afterTheFillDeadlineAndGraceAsLongAsNobodyRefunded() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION + GRACE + 2 days);
        settle(id);
        assertEq(bridge.uncollectedFees(address(usdc)), FEE);
    }

    function test_settle_goesOnWithoutTokenDestinationAndCreation() public {
        uint256 id = deposited();
        vm.startPrank(owner);
        bridge.delistToken(address(usdc));
        bridge.delistDestination(DEST);
        bridge.pauseCreation();
        bridge.rotateRelayer(anyone);
        bridge.renounceOwnership();
        vm.stopPrank();
        settle(id);
        assertEq(bridge.uncollectedFees(address(usdc)), FEE);
    }

    function test_settle_afterDeadline_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        bytes memory signature = attest(bridge, settlement, enclave);
        vm.warp(settlement.deadline + 1);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttestationExpired.selector, settlement.deadline)
        );
        bridge.settleIntent(settlement, signature);
    }

    function test_settle_anotherSolver_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        settlement.solver = rival;
        expectRefusal(
            settlement, abi.encodeWithSelector(IBridgeErrors.WrongSolver.selector, rival, solver)
        );
    }

    function test_settle_anotherDestination_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        settlement.destChainId = 10;
        expectRefusal(
            settlement, abi.encodeWithSelector(IBridgeErrors.WrongDestination.selector, 10, DEST)
        );
    }

    function test_settle_anotherFee_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        settlement.feeBps = 700;
        expectRefusal(
            settlement, abi.encodeWithSelector(IBridgeErrors.WrongFee.selector, 700, FEE_BPS)
        );
    }

    function test_settle_lessThanCommitted_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        settlement.amountB = EXPECTED - 1;
        expectRefusal(
            settlement,
            abi.encodeWithSelector(
                IBridgeErrors.DeliveredTooLittle.selector, EXPECTED - 1, EXPECTED
            )
        );
    }

    function test_settle_byAnUnregisteredKey_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        Vm.Wallet memory stranger = vm.createWallet("stranger");
        bytes memory signature = attest(bridge, settlement, stranger);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, stranger.addr)
        );
        bridge.settleIntent(settlement, signature);
    }

    function test_settle_byARevokedKey_reverts() public {
        uint256 id = deposited();
        vm.prank(owner);
        registry.revoke(enclave.addr);
        expectRefusal(settlementOf(id), inactive());
    }

    function test_settle_byAnExpiredKey_reverts() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + KEY_LIFETIME);
        expectRefusal(settlementOf(id), inactive());
    }

    function test_settle_byAKeyOfARemovedMeasurement_reverts() public {
        uint256 id = deposited();
        vm.prank(owner);
        registry.removeMeasurement(MEASUREMENT);
        expectRefusal(settlementOf(id), inactive());
    }

    function test_settle_malformedSignature_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        vm.expectRevert(abi.encodeWithSelector(ECDSA.ECDSAInvalidSignatureLength.selector, 64));
        bridge.settleIntent(settlement, new bytes(64));
        vm.expectRevert(ECDSA.ECDSAInvalidSignature.selector);
        bridge.settleIntent(settlement, new bytes(65));
    }

    /// @dev Every field is under the signature: changing any one of them changes the signer.
    function test_settle_noFieldCanBeChanged() public {
        Settlement memory settlement = settlementOf(deposited());
        bytes memory signature = attest(bridge, settlement, enclave);
        Settlement memory changed = settlementOf(settlement.intentId);
        changed.chain2IntentId += 1;
        expectAnotherSigner(changed, signature);
        changed = settlementOf(settlement.intentId);
        changed.solveTxHash = keccak256("another");
        expectAnotherSigner(changed, signature);
        changed = settlementOf(settlement.intentId);
        changed.amountB += 1;
        expectAnotherSigner(changed, signature);
        changed = settlementOf(settlement.intentId);
        changed.deadline += 1;
        expectAnotherSigner(changed, signature);
    }

    function test_settle_ofAnotherIntent_reverts() public {
        uint256 first = deposited();
        uint256 second = deposited();
        Settlement memory settlement = settlementOf(first);
        bytes memory signature = attest(bridge, settlement, enclave);
        settlement.intentId = second;
        expectAnotherSigner(settlement, signature);
    }

    function test_settle_ofAnotherContract_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        BridgeIntentV2 twin = newBridge(address(registry));
        expectAnotherSigner(settlement, attest(twin, settlement, enclave));
    }

    function test_settle_ofAnotherChain_reverts() public {
        Settlement memory settlement = settlementOf(deposited());
        vm.chainId(10);
        bytes memory signature = attest(bridge, settlement, enclave);
        vm.chainId(SOURCE);
        expectAnotherSigner(settlement, signature);
    }

    function test_settle_twice_reverts() public {
        uint256 id = deposited();
        settle(id);
        expectRefusal(settlementOf(id), wrongPhase(id, Phase.Settled));
    }

    function test_settle_afterRefund_reverts() public {
        uint256 id = deposited();
        vm.warp(block.timestamp + EXECUTION + GRACE);
        refund(id);
        expectRefusal(settlementOf(id), wrongPhase(id, Phase.Refunded));
    }

    function test_settle_beforeDeposit_reverts() public {
        uint256 id = withBid();
        expectRefusal(settlementOf(id), wrongPhase(id, Phase.Open));
    }

    function test_settle_unknownIntent_reverts() public {
        expectRefusal(
            settlementOf(3), abi.encodeWithSelector(IBridgeErrors.UnknownIntent.selector, 3)
        );
    }

    function test_settlementDigest_isPlainEip712() public view {
        Settlement memory s = settlementOf(1);
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("BridgeIntentV2"),
                keccak256("1"),
                SOURCE,
                address(bridge)
            )
        );
        bytes32 message = keccak256(
            abi.encode(
                keccak256(
                    "Settlement(uint256 intentId,address solver,uint256 destChainId,uint256 chain2IntentId,bytes32 solveTxHash,uint256 amountB,uint16 feeBps,uint256 deadline)"
                ),
                s.intentId,
                s.solver,
                s.destChainId,
                s.chain2IntentId,
                s.solveTxHash,
                s.amountB,
                s.feeBps,
                s.deadline
            )
        );
        assertEq(
            bridge.settlementDigest(s), keccak256(abi.encodePacked(hex"1901", domain, message))
        );
    }

    function expectRefusal(Settlement memory settlement, bytes memory reason) private {
        bytes memory signature = attest(bridge, settlement, enclave);
        vm.expectRevert(reason);
        bridge.settleIntent(settlement, signature);
    }

    function expectAnotherSigner(Settlement memory settlement, bytes memory signature) private {
        address other = ECDSA.recover(bridge.settlementDigest(settlement), signature);
        assertNotEq(other, enclave.addr);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, other));
        bridge.settleIntent(settlement, signature);
    }

    function inactive() private view returns (bytes memory) {
        return abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, enclave.addr);
    }

    function wrongPhase(uint256 id, Phase current) private pure returns (bytes memory) {
        return
            abi.encodeWithSelector(IBridgeErrors.WrongPhase.selector, id, current, Phase.Deposited);
    }
}
