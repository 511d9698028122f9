// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {EnclaveKeyRegistry} from "../../src/EnclaveKeyRegistry.sol";
import {
    DevelopmentAttestationVerifier
} from "../../src/attestation/DevelopmentAttestationVerifier.sol";
import {DevnetToken} from "../../src/devnet/DevnetToken.sol";
import {DevnetUsdc} from "../../src/devnet/DevnetUsdc.sol";
import {DevnetUsdt} from "../../src/devnet/DevnetUsdt.sol";
import {Intent, Phase, TokenListing, Windows} from "../../src/interfaces/BridgeTypes.sol";
import {Deployed} from "../support/Deployed.sol";
import {EnclaveSigning} from "../support/EnclaveSigning.sol";
import {MoodyToken} from "../support/HostileTokens.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Two bridges on two chains with a clock each, and a second, independent record of what
///         they owe and what every intent should look like.
abstract contract BridgeModel is EnclaveSigning {
    /// @dev An intent as it should be.
    struct Expected {
        uint256 side;
        uint256 id;
        address sender;
        address token;
        address tokenB;
        uint256 amountA;
        uint256 reward;
        uint256 expectedAmountB;
        uint256 duration;
        uint256 endTime;
        uint256 firmAt;
        uint16 feeBps;
        uint256 quorum;
        Phase phase;
        address solver;
        uint256 amountB;
        uint256 fillDeadline;
        bytes32 blobsHash;
        bool named;
        bool asked;
        bool revealed;
        // The recipients given to the winner, as the delivery's hash; whether it was delivered.
        bool solved;
        uint256 chain2IntentId;
        // Measured at its receiver, in all.
        uint256 paidOut;
    }

    /// @dev How often a campaign reached each outcome; one that reaches nothing proves nothing.
    struct Reached {
        uint256 settled;
        uint256 cancelled;
        uint256 cancelledWithBid;
        uint256 expiredWithoutBid;
        uint256 expiredWithBid;
        uint256 failed;
        uint256 excused;
        uint256 undelivered;
        uint256 takenOver;
        uint256 outbid;
        uint256 revealed;
        uint256 credited;
        uint256 claimed;
        uint256 collected;
        uint256 delivered;
        uint256 deliveredLate;
        uint256 deliveryCredited;
        uint256 deliveryClaimed;
        uint256 replayed;
        uint256 deadKeyTried;
        uint256 quorumTried;
    }

    uint32 internal constant MIN_DURATION = 20;
    uint32 internal constant FIRM = 30;
    uint32 internal constant PICKUP = 60;
    uint32 internal constant EXECUTION = 600;
    uint32 internal constant GRACE = 300;
    uint32 internal constant DELAY = 60;
    uint256 internal constant STAKE = 5e28;

    uint256[2] public chains = [uint256(84_532), 2_651_420];
    BridgeIntentV2[2] public bridges;
    EnclaveKeyRegistry[2] internal registries;
    DevelopmentAttestationVerifier[2] internal verifiers;
    Vm.Wallet[2] internal operators;
    /// @dev Two keys of two operators on each side.
    Vm.Wallet[2][2] internal attesters;
    uint256 internal keysMade;

    DevnetUsdc internal usdc;
    MoodyToken internal moody;
    address[3] public tokens;
    uint8[3] internal quorums = [1, 1, 2];
    address[3] internal senders =
        [makeAddr("sender 0"), makeAddr("sender 1"), makeAddr("sender 2")];
    address[3] internal solvers =
        [makeAddr("solver 0"), makeAddr("solver 1"), makeAddr("solver 2")];
    address[3] internal recipients =
        [makeAddr("recipient 0"), makeAddr("recipient 1"), makeAddr("recipient 2")];
    address internal owner = makeAddr("owner");
    address internal treasury = makeAddr("treasury");
    address internal nobody = makeAddr("nobody's address");
    address internal periphery = makeAddr("periphery");

    uint256[2] internal clock = [uint256(1_800_000_000), 1_800_000_007];
    Expected[] internal intents;
    Reached internal counts;
    uint256[2] public intentCount;
    uint256[2] public deliveryCount;
    /// @dev Tokens sent to a bridge by mistake.
    mapping(uint256 side => mapping(address token => uint256)) internal donated;
    mapping(uint256 side => mapping(address token => uint256)) internal fees;
    mapping(uint256 side => mapping(address owner => mapping(address token => uint256))) internal
        credits;
    mapping(uint256 side => mapping(address owner => mapping(address token => uint256))) internal
        refusedDeliveries;
    mapping(uint256 side => mapping(address solver => mapping(address token => uint256))) internal
        stakes;
    mapping(uint256 side => mapping(address solver => mapping(address token => uint256))) internal
        locks;

    constructor() {
        operators[0] = operator;
        operators[1] = vm.createWallet("second operator");
        usdc = DevnetUsdc(Deployed.create("DevnetUsdc", ""));
        moody = new MoodyToken();
        moody.setRefusedReceiver(recipients[0]);
        tokens =
            [address(usdc), address(moody), address(DevnetUsdt(Deployed.create("DevnetUsdt", "")))];
        for (uint256 side = 0; side < 2; ++side) {
            deploy(side);
        }
    }

    /// @dev Sets clock and chain to this side's.
    function enter(uint256 side) internal {
        vm.warp(clock[side]);
        vm.chainId(chains[side]);
    }

    /// @dev Everything a bridge owes, read from the bridge itself, is exactly what it has.
    function check(uint256 side) public {
        enter(side);
        BridgeIntentV2 bridge = bridges[side];
        uint256 count = intentCount[side];
        uint256 latest = count == 0 ? 0 : (chains[side] << 64) | count;
        assertEq(bridge.getLatestIntentId(), latest, "ids count strictly");
        checkIntents(side);
        for (uint256 t = 0; t < tokens.length; ++t) {
            address token = tokens[t];
            uint256 owed = openEscrow(side, token) + owedToAccounts(side, token);
            owed += bridge.uncollectedFees(token);
            assertEq(bridge.uncollectedFees(token), fees[side][token], "fees");
            uint256 held = IERC20(token).balanceOf(address(bridge));
            assertEq(held, owed + donated[side][token], "solvent to the unit");
        }
    }

    function openEscrow(uint256 side, address token) private view returns (uint256 sum) {
        for (uint256 i = 0; i < intents.length; ++i) {
            if (intents[i].side != side || intents[i].token != token) continue;
            Intent memory intent = bridges[side].getIntent(intents[i].id);
            if (intent.phase == Phase.Open || intent.phase == Phase.Deposited) {
                sum += intent.amountA + intent.reward;
            }
        }
    }

    function owedToAccounts(uint256 side, address token) private view returns (uint256 sum) {
        BridgeIntentV2 bridge = bridges[side];
        for (uint256 i = 0; i < 3; ++i) {
            (uint256 total, uint256 locked) = bridge.stakeOf(solvers[i], token);
            assertEq(total, stakes[side][solvers[i]][token], "stake");
            assertEq(locked, locks[side][solvers[i]][token], "locked");
            sum += total + bridge.claimable(solvers[i], token);
            sum += bridge.claimable(senders[i], token);
            uint256 waiting = bridge.claimableDelivery(recipients[i], token);
            assertEq(waiting, refusedDeliveries[side][recipients[i]][token], "refused delivery");
            sum += waiting;
        }
        sum += bridge.claimable(nobody, token);
    }

    function checkIntents(uint256 side) private view {
        for (uint256 i = 0; i < intents.length; ++i) {
            Expected memory expected = intents[i];
            if (expected.side != side) continue;
            Intent memory intent = bridges[side].getIntent(expected.id);
            assertEq(uint8(intent.phase), uint8(expected.phase), "phase");
            assertEq(intent.solver, expected.solver, "solver");
            assertEq(intent.amountB, expected.amountB, "amountB");
            assertEq(intent.fillDeadline, expected.fillDeadline, "fillDeadline");
            assertEq(intent.feeBps, expected.feeBps, "fee");
            assertEq(intent.quorum, expected.quorum, "quorum");
            assertEq(intent.blobsHash, expected.blobsHash, "blobs");
            assertEq(intent.asked, expected.asked, "asked");
            assertEq(intent.revealed, expected.revealed, "revealed");
            assertEq(intent.firmAt, expected.firmAt, "firmAt");
            uint256 due = 0;
            if (isFinal(expected.phase)) due = expected.amountA + expected.reward;
            if (expected.phase == Phase.Settled) due -= feeOf(expected);
            assertEq(expected.paidOut, due, "paid out exactly once");
        }
    }

    function isFinal(Phase phase) internal pure returns (bool) {
        return phase == Phase.Settled || phase == Phase.Cancelled || phase == Phase.Refunded;
    }

    function feeOf(Expected memory intent) internal pure returns (uint256) {
        return intent.amountA * intent.feeBps / 10_000;
    }

    function calculateBond(Expected memory intent) internal pure returns (uint256) {
        return (intent.amountA + intent.reward) / 20;
    }

    /// @dev When the escape path opens for an intent that isn't final.
    function refundableAt(Expected memory intent) internal pure returns (uint256) {
        if (intent.phase == Phase.Deposited) return intent.fillDeadline + GRACE;
        return intent.solver == address(0) ? intent.endTime : intent.endTime + 2 * PICKUP;
    }

    /// @dev Registers a new enclave key for a side and operator.
    function renewKey(uint256 side, uint256 at) internal {
        attesters[side][at] = vm.createWallet(uint256(keccak256(abi.encode("enclave", ++keysMade))));
        registerKey(
            registries[side], verifiers[side], attesters[side][at], operators[at], MEASUREMENT
        );
    }

    function listingOf(uint256 at) internal view returns (TokenListing memory) {
        return TokenListing(tokens[at], 10_000, type(uint96).max, quorums[at]);
    }

    function deploy(uint256 side) private {
        enter(side);
        verifiers[side] = DevelopmentAttestationVerifier(
            Deployed.create("DevelopmentAttestationVerifier", abi.encode(quoting.addr))
        );
        bytes32[] memory measurements = new bytes32[](1);
        measurements[0] = MEASUREMENT;
        address[] memory runners = new address[](2);
        (runners[0], runners[1]) = (operators[0].addr, operators[1].addr);
        EnclaveKeyRegistry.Terms memory terms = EnclaveKeyRegistry.Terms(3_650 days, 0, 4 days);
        registries[side] = EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry",
                abi.encode(owner, verifiers[side], true, terms, measurements, runners)
            )
        );
        bridges[side] = newBridge(side);
        renewKey(side, 0);
        renewKey(side, 1);
        fund(periphery, address(bridges[side]));
        for (uint256 i = 0; i < 3; ++i) {
            fund(senders[i], address(bridges[side]));
            fund(solvers[i], address(bridges[side]));
            vm.startPrank(solvers[i]);
            bridges[side].setSealingKey(operator.publicKeyX, operator.publicKeyY);
            for (uint256 t = 0; t < 3; ++t) {
                bridges[side].stake(tokens[t], STAKE);
                stakes[side][solvers[i]][tokens[t]] = STAKE;
            }
            vm.stopPrank();
        }
    }

    function newBridge(uint256 side) private returns (BridgeIntentV2) {
        TokenListing[] memory listings = new TokenListing[](3);
        for (uint256 t = 0; t < 3; ++t) {
            listings[t] = listingOf(t);
        }
        uint256[] memory destinations = new uint256[](1);
        destinations[0] = chains[1 - side];
        address[] memory peripheries = new address[](1);
        peripheries[0] = periphery;
        return BridgeIntentV2(
            Deployed.create(
                "BridgeIntentV2",
                abi.encode(
                    owner,
                    treasury,
                    address(registries[side]),
                    nobody,
                    Windows(MIN_DURATION, FIRM, PICKUP, EXECUTION, GRACE, DELAY),
                    listings,
                    destinations,
                    peripheries
                )
            )
        );
    }

    function fund(address account, address spender) private {
        for (uint256 i = 0; i < tokens.length; ++i) {
            DevnetToken(tokens[i]).mint(account, 1e40);
            vm.prank(account);
            SafeERC20.forceApprove(IERC20(tokens[i]), spender, type(uint256).max);
        }
    }
}
