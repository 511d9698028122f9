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
import {Phase} from "../../src/interfaces/BridgeTypes.sol";
import {EnclaveSigning} from "../support/EnclaveSigning.sol";
import {MoodyToken} from "../support/HostileTokens.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice Two bridges on two chains, and a second, independent account of what they owe.
/// @dev The chain's clock and id are kept here and set before every step.
abstract contract BridgeModel is EnclaveSigning {
    /// @dev An intent as it should be.
    struct Expected {
        uint256 side;
        uint256 id;
        address sender;
        address token;
        uint256 amountA;
        uint256 reward;
        uint256 expectedAmountB;
        uint256 endTime;
        uint16 feeBps;
        Phase phase;
        address solver;
        uint256 amountB;
        uint256 bond;
        uint256 fillDeadline;
        uint256 payouts;
    }

    /// @dev What one bridge should owe of one token.
    struct Ledger {
        uint256 open;
        uint256 bonds;
        uint256 credits;
        uint256 fees;
        uint256 donated;
    }

    /// @dev How often a campaign got somewhere; a campaign that reaches nothing proves nothing.
    struct Reached {
        uint256 settled;
        uint256 cancelled;
        uint256 expiredWithoutBid;
        uint256 expiredWithBid;
        uint256 failed;
        uint256 credited;
        uint256 claimed;
        uint256 collected;
        uint256 delivered;
        uint256 replayed;
        uint256 deadKeyTried;
    }

    bytes32 internal constant MEASUREMENT = keccak256("program");
    uint32 internal constant PICKUP = 60;
    uint32 internal constant EXECUTION = 600;
    uint32 internal constant GRACE = 300;
    uint32 internal constant KEY_LIFETIME = 6 hours;

    uint256[2] public chains = [uint256(84_532), 2_651_420];
    BridgeIntentV2[2] public bridges;
    EnclaveKeyRegistry[2] internal registries;
    DevelopmentAttestationVerifier[2] internal verifiers;
    Vm.Wallet[2] internal attesters;
    uint256 internal keysMade;

    DevnetUsdc internal usdc;
    MoodyToken internal moody;
    address[3] public tokens;
    address[3] internal senders =
        [makeAddr("sender 0"), makeAddr("sender 1"), makeAddr("sender 2")];
    address[3] internal solvers =
        [makeAddr("solver 0"), makeAddr("solver 1"), makeAddr("solver 2")];
    address internal owner = makeAddr("owner");
    address internal relayer = makeAddr("relayer");
    address internal treasury = makeAddr("treasury");
    address internal tokenB = makeAddr("token of the other chain");

    uint256 internal time = 1_800_000_000;
    Expected[] internal intents;
    Reached internal counts;
    uint256[2] public intentCount;
    uint256[2] public deliveryCount;
    mapping(uint256 side => mapping(address token => Ledger)) internal ledgers;
    mapping(uint256 side => mapping(address owner => mapping(address token => uint256))) internal
        credits;

    /// @dev Sets clock and chain to this side's.
    modifier on(uint256 side) {
        enter(side);
        _;
    }

    constructor() {
        usdc = new DevnetUsdc();
        moody = new MoodyToken();
        tokens = [address(usdc), address(moody), address(new DevnetUsdt())];
        for (uint256 side = 0; side < 2; ++side) {
            deploy(side);
        }
    }

    function enter(uint256 side) internal {
        vm.warp(time);
        vm.chainId(chains[side]);
    }

    /// @dev Checks that a bridge has exactly what it should owe, and no intent is out of step.
    function check(uint256 side) public {
        enter(side);
        BridgeIntentV2 bridge = bridges[side];
        for (uint256 i = 0; i < tokens.length; ++i) {
            Ledger memory ledger = ledgers[side][tokens[i]];
            uint256 owed = ledger.open + ledger.bonds + ledger.credits + ledger.fees;
            uint256 held = IERC20(tokens[i]).balanceOf(address(bridge));
            assertGe(held, owed, "solvent");
            assertEq(held, owed + ledger.donated, "to the unit");
            assertEq(bridge.uncollectedFees(tokens[i]), ledger.fees, "fees");
        }
        uint256 count = intentCount[side];
        uint256 latest = count == 0 ? 0 : (chains[side] << 64) | count;
        assertEq(bridge.getLatestIntentId(), latest, "ids count strictly");
        checkIntents(side);
    }

    function checkIntents(uint256 side) private view {
        for (uint256 i = 0; i < intents.length; ++i) {
            Expected memory intent = intents[i];
            if (intent.side != side) continue;
            Phase phase = bridges[side].getIntent(intent.id).phase;
            assertEq(uint8(phase), uint8(intent.phase), "phase");
            assertEq(intent.payouts, isFinal(intent.phase) ? 1 : 0, "pays out exactly once");
        }
    }

    function isFinal(Phase phase) internal pure returns (bool) {
        return phase == Phase.Settled || phase == Phase.Cancelled || phase == Phase.Refunded;
    }

    /// @dev When the escape path opens for an intent that isn't final.
    function refundableAt(Expected memory intent) internal pure returns (uint256) {
        if (intent.phase == Phase.Deposited) return intent.fillDeadline + GRACE;
        return intent.solver == address(0) ? intent.endTime : intent.endTime + 2 * PICKUP;
    }

    /// @dev Registers a new enclave key for a side.
    function renewKey(uint256 side) internal {
        attesters[side] = vm.createWallet(uint256(keccak256(abi.encode("enclave", ++keysMade))));
        registerKey(registries[side], verifiers[side], attesters[side], MEASUREMENT);
    }

    function deploy(uint256 side) private on(side) {
        verifiers[side] = new DevelopmentAttestationVerifier(quoting.addr);
        bytes32[] memory measurements = new bytes32[](1);
        measurements[0] = MEASUREMENT;
        registries[side] =
            new EnclaveKeyRegistry(owner, verifiers[side], true, KEY_LIFETIME, measurements);
        BridgeIntentV2 bridge = new BridgeIntentV2(
            owner, relayer, treasury, address(registries[side]), PICKUP, EXECUTION, GRACE
        );
        bridges[side] = bridge;
        renewKey(side);
        vm.startPrank(owner);
        bridge.listDestination(chains[1 - side]);
        for (uint256 i = 0; i < tokens.length; ++i) {
            bridge.listToken(tokens[i], 1, type(uint96).max);
        }
        vm.stopPrank();
        for (uint256 i = 0; i < 3; ++i) {
            fund(senders[i], address(bridge));
            fund(solvers[i], address(bridge));
        }
    }

    function fund(address account, address spender) private {
        for (uint256 i = 0; i < tokens.length; ++i) {
            DevnetToken(tokens[i]).mint(account, 1e30);
            vm.prank(account);
            SafeERC20.forceApprove(IERC20(tokens[i]), spender, type(uint256).max);
        }
    }
}
