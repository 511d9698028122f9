// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../src/EnclaveKeyRegistry.sol";
import {DevnetToken} from "../src/devnet/DevnetToken.sol";
import {NotDelivered, Phase, Reveal, Settlement} from "../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../src/interfaces/IBridgeEvents.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";
import {Deployed} from "./support/Deployed.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Three signatures of three operators, where a token's intents need them.
contract QuorumTest is BridgeFixture {
    DevnetToken private large;
    Vm.Wallet[] private keys;

    function setUp() public override {
        super.setUp();
        address[] memory operators = new address[](4);
        bytes32[] memory measurements = new bytes32[](1);
        measurements[0] = MEASUREMENT;
        Vm.Wallet[4] memory runners = [
            operator,
            vm.createWallet("second operator"),
            vm.createWallet("third operator"),
            vm.createWallet("fourth operator")
        ];
        for (uint256 i = 0; i < 4; ++i) {
            operators[i] = runners[i].addr;
        }
        registry = EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry",
                abi.encode(
                    owner,
                    verifier,
                    true,
                    EnclaveKeyRegistry.Terms(KEY_LIFETIME, 0, ADDITION),
                    measurements,
                    operators
                )
            )
        );
        bridge = newBridge(windows());
        registerKey(registry, verifier, enclave, operator, MEASUREMENT);
        large = DevnetToken(Deployed.create("DevnetToken", abi.encode("Large", "LARGE", 6)));
        listWith(address(large), 3);
        prepare(address(large));
        for (uint256 i = 0; i < 4; ++i) {
            keys.push(vm.createWallet(string.concat("key ", vm.toString(i))));
            registerKey(registry, verifier, keys[i], runners[i], MEASUREMENT);
        }
        // A second key of the first operator.
        keys.push(vm.createWallet("key 4"));
        registerKey(registry, verifier, keys[4], runners[0], MEASUREMENT);
    }

    function test_quorum_isFixedAtCreation() public {
        uint256 id = createWith(address(large));
        assertEq(intentOf(id).quorum, 3);
        listWith(address(large), 1);
        assertEq(intentOf(id).quorum, 3);
    }

    function test_settle_withThree() public {
        uint256 id = depositedWith(address(large));
        Settlement memory given = settlementOf(id);
        bytes[] memory three = by(given, 0, 1, 2);
        // The event names the first in the order of signers.
        address first = keys[sorted(0, 1, 2)[0]].addr;
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentSettled(
            id, solver, AMOUNT - 25e6 + REWARD, 25e6, given.chain2IntentId, first
        );
        bridge.settleIntent(given, three);
        assertEq(uint8(intentOf(id).phase), uint8(Phase.Settled));
    }

    function test_settle_withFewerOrMore_reverts() public {
        uint256 id = depositedWith(address(large));
        Settlement memory given = settlementOf(id);
        bytes[] memory two = new bytes[](2);
        bytes[] memory three = by(given, 0, 1, 2);
        (two[0], two[1]) = (three[0], three[1]);
        expectCount(given, two);
        expectCount(given, new bytes[](0));
        expectCount(given, new bytes[](4));
        expectCount(given, only(three[0]));
    }

    function test_settle_notSortedOrTwice_reverts() public {
        uint256 id = depositedWith(address(large));
        Settlement memory given = settlementOf(id);
        bytes[] memory three = by(given, 0, 1, 2);
        (three[0], three[1]) = (three[1], three[0]);
        vm.expectPartialRevert(IBridgeErrors.SignersNotSorted.selector);
        bridge.settleIntent(given, three);
        three = by(given, 0, 1, 2);
        three[1] = three[0];
        vm.expectPartialRevert(IBridgeErrors.SignersNotSorted.selector);
        bridge.settleIntent(given, three);
        three[2] = hex"00";
        three[1] = hex"00";
        vm.expectPartialRevert(IBridgeErrors.SignersNotSorted.selector);
        bridge.settleIntent(given, three);
    }

    /// @dev Whoever breaks into one machine can have as many of its keys as it likes.
    function test_settle_twoKeysOfOneOperator_reverts() public {
        uint256 id = depositedWith(address(large));
        Settlement memory given = settlementOf(id);
        // Adjacent in the order of signers, and with another's between them.
        assertLt(uint160(keys[4].addr), uint160(keys[2].addr));
        assertLt(uint160(keys[2].addr), uint160(keys[0].addr));
        for (uint256 other = 1; other < 4; ++other) {
            bytes[] memory three = by(given, 0, other, 4);
            vm.expectRevert(
                abi.encodeWithSelector(IBridgeErrors.SameOperator.selector, operator.addr)
            );
            bridge.settleIntent(given, three);
        }
    }

    function test_settle_withOneKeyThatDoesntCount_reverts() public {
        uint256 id = depositedWith(address(large));
        Settlement memory given = settlementOf(id);
        keys[2] = vm.createWallet("nobody's key");
        bytes[] memory three = by(given, 0, 1, 2);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, keys[2].addr)
        );
        bridge.settleIntent(given, three);
    }

    /// @dev Where a quorum decides, an owner that revokes and removes can't keep a winner from its
    ///      settlement.
    function test_settle_withKeysRevokedSinceTheDeposit() public {
        uint256 id = depositedWith(address(large));
        vm.warp(block.timestamp + 1);
        vm.startPrank(owner);
        for (uint256 i = 0; i < 3; ++i) {
            registry.revoke(keys[i].addr);
        }
        registry.removeMeasurement(MEASUREMENT);
        vm.stopPrank();
        vm.warp(block.timestamp + 60);
        Settlement memory given = settlementOf(id);
        bridge.settleIntent(given, by(given, 0, 1, 2));
        assertEq(uint8(intentOf(id).phase), uint8(Phase.Settled));
    }

    /// @dev The deposit's second decides.
    function test_settle_withKeysRevokedBeforeTheDeposit_reverts() public {
        uint256 id = createWith(address(large));
        anchor(id);
        bid(id, solver, EXPECTED);
        vm.prank(owner);
        registry.revoke(keys[0].addr);
        vm.warp(endOf(id));
        deposit(id, solver, EXPECTED);
        Settlement memory given = settlementOf(id);
        bytes[] memory three = by(given, 0, 1, 2);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, keys[0].addr)
        );
        bridge.settleIntent(given, three);
    }

    function test_reveal_withThree() public {
        uint256 id = depositedWith(address(large));
        Reveal memory given = revealOf(id, hex"05");
        bytes[] memory three = new bytes[](3);
        uint256[3] memory order = sorted(0, 1, 2);
        for (uint256 i = 0; i < 3; ++i) {
            three[i] = signed(address(bridge), given, keys[order[i]]);
        }
        bytes[] memory one = only(three[0]);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.WrongSignatureCount.selector, 1, 3));
        bridge.revealRecipients(id, hex"05", one);
        bridge.revealRecipients(id, hex"05", three);
        assertTrue(intentOf(id).revealed);
    }

    function test_refundUndelivered_withThree() public {
        uint256 id = depositedWith(address(large));
        NotDelivered memory given = notDeliveredOf(id);
        bytes[] memory three = new bytes[](3);
        uint256[3] memory order = sorted(1, 2, 3);
        for (uint256 i = 0; i < 3; ++i) {
            three[i] = signed(address(bridge), given, keys[order[i]]);
        }
        vm.warp(given.fillDeadline);
        bytes[] memory one = only(three[0]);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.WrongSignatureCount.selector, 1, 3));
        bridge.refundUndelivered(given, one);
        bridge.refundUndelivered(given, three);
        assertEq(uint8(intentOf(id).phase), uint8(Phase.Refunded));
    }

    /// @dev Anchors need one signature whatever the quorum: no blob counts because of its signer.
    function test_anchor_needsOne() public {
        uint256 id = createWith(address(large));
        anchor(id);
        assertEq(intentOf(id).feeBps, FEE_BPS);
    }

    function by(Settlement memory given, uint256 a, uint256 b, uint256 c)
        private
        view
        returns (bytes[] memory signatures)
    {
        uint256[3] memory order = sorted(a, b, c);
        signatures = new bytes[](3);
        for (uint256 i = 0; i < 3; ++i) {
            signatures[i] = signed(address(bridge), given, keys[order[i]]);
        }
    }

    function sorted(uint256 a, uint256 b, uint256 c) private view returns (uint256[3] memory) {
        if (keys[a].addr > keys[b].addr) (a, b) = (b, a);
        if (keys[b].addr > keys[c].addr) (b, c) = (c, b);
        if (keys[a].addr > keys[b].addr) (a, b) = (b, a);
        return [a, b, c];
    }

    function expectCount(Settlement memory given, bytes[] memory signatures) private {
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.WrongSignatureCount.selector, signatures.length, 3)
        );
        bridge.settleIntent(given, signatures);
    }
}
