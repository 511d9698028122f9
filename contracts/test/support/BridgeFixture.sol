// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {EnclaveKeyRegistry} from "../../src/EnclaveKeyRegistry.sol";
import {
    DevelopmentAttestationVerifier
} from "../../src/attestation/DevelopmentAttestationVerifier.sol";
import {DevnetToken} from "../../src/devnet/DevnetToken.sol";
import {DevnetUsdc} from "../../src/devnet/DevnetUsdc.sol";
import {Settlement} from "../../src/interfaces/BridgeTypes.sol";
import {IAttestationVerifier} from "../../src/interfaces/IAttestationVerifier.sol";
import {EnclaveSigning} from "./EnclaveSigning.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice One bridge with everything around it, and the steps of an intent's life as one-liners.
abstract contract BridgeFixture is EnclaveSigning {
    uint256 internal constant SOURCE = 84_532;
    uint256 internal constant DEST = 2_651_420;
    uint32 internal constant PICKUP = 60;
    uint32 internal constant EXECUTION = 1 hours;
    uint32 internal constant GRACE = 1 hours;
    uint32 internal constant KEY_LIFETIME = 30 days;
    uint256 internal constant DURATION = 120;
    uint256 internal constant MIN_AMOUNT = 1e6;
    uint256 internal constant MAX_AMOUNT = 1e15;
    uint256 internal constant AMOUNT = 1_000e6;
    uint256 internal constant REWARD = 10e6;
    uint256 internal constant EXPECTED = 990e6;
    uint256 internal constant BOND = 50e6;
    uint16 internal constant FEE_BPS = 250;
    bytes32 internal constant MEASUREMENT = keccak256("program");

    address internal owner = makeAddr("owner");
    address internal relayer = makeAddr("relayer");
    address internal treasury = makeAddr("treasury");
    address internal sender = makeAddr("sender");
    address internal solver = makeAddr("solver");
    address internal rival = makeAddr("rival");
    address internal anyone = makeAddr("anyone");
    address internal recipient = makeAddr("recipient");
    address internal tokenB = makeAddr("token of the destination chain");

    DevelopmentAttestationVerifier internal verifier;
    EnclaveKeyRegistry internal registry;
    BridgeIntentV2 internal bridge;
    DevnetUsdc internal usdc;

    function setUp() public virtual {
        vm.chainId(SOURCE);
        vm.warp(1_800_000_000);
        verifier = new DevelopmentAttestationVerifier(quoting.addr);
        registry = newRegistry(verifier);
        bridge = newBridge(address(registry));
        usdc = new DevnetUsdc();
        list(address(usdc));
        vm.prank(owner);
        bridge.listDestination(DEST);
        registerKey(registry, verifier, enclave, MEASUREMENT);
    }

    function newRegistry(IAttestationVerifier by) internal returns (EnclaveKeyRegistry) {
        bytes32[] memory measurements = new bytes32[](1);
        measurements[0] = MEASUREMENT;
        return new EnclaveKeyRegistry(owner, by, true, KEY_LIFETIME, measurements);
    }

    function newBridge(address registry_) internal returns (BridgeIntentV2) {
        return new BridgeIntentV2(owner, relayer, treasury, registry_, PICKUP, EXECUTION, GRACE);
    }

    /// @dev Lists a token and gives everybody plenty of it, approved.
    function list(address token) internal {
        vm.prank(owner);
        bridge.listToken(token, MIN_AMOUNT, MAX_AMOUNT);
        fund(token, sender);
        fund(token, solver);
        fund(token, rival);
    }

    function fund(address token, address account) internal {
        DevnetToken(token).mint(account, 1e18);
        vm.prank(account);
        SafeERC20.forceApprove(IERC20(token), address(bridge), type(uint256).max);
    }

    function create() internal returns (uint256) {
        return createWith(address(usdc));
    }

    function createWith(address token) internal returns (uint256) {
        vm.prank(sender);
        return bridge.createIntent(token, tokenB, AMOUNT, EXPECTED, REWARD, DEST, DURATION);
    }

    function anchor(uint256 id) internal {
        vm.prank(relayer);
        bridge.anchorIntent(id, FEE_BPS, hex"01aa");
    }

    function bid(uint256 id, address by, uint256 amountB) internal {
        vm.prank(by);
        bridge.placeBid(id, amountB);
    }

    function deposit(uint256 id, address by, uint256 amountB) internal {
        vm.prank(by);
        bridge.depositAndPickup(id, amountB);
    }

    /// @dev An intent that takes bids.
    function anchored() internal returns (uint256 id) {
        id = create();
        anchor(id);
    }

    /// @dev An intent that `solver` leads with EXPECTED.
    function withBid() internal returns (uint256 id) {
        id = anchored();
        bid(id, solver, EXPECTED);
    }

    /// @dev An intent that `solver` won at EXPECTED.
    function deposited() internal returns (uint256) {
        return depositedWith(address(usdc));
    }

    function depositedWith(address token) internal returns (uint256 id) {
        id = createWith(token);
        anchor(id);
        bid(id, solver, EXPECTED);
        vm.warp(endOf(id));
        deposit(id, solver, EXPECTED);
    }

    function endOf(uint256 id) internal view returns (uint256) {
        return bridge.getIntent(id).endTime;
    }

    /// @dev What the enclave would attest for an intent that `solver` won and delivered.
    function settlementOf(uint256 id) internal view returns (Settlement memory) {
        return Settlement({
            intentId: id,
            solver: solver,
            destChainId: DEST,
            chain2IntentId: (DEST << 64) | 7,
            solveTxHash: keccak256("solve"),
            amountB: EXPECTED,
            feeBps: FEE_BPS,
            deadline: block.timestamp + 600
        });
    }

    function settle(uint256 id) internal {
        settle(settlementOf(id));
    }

    function settle(Settlement memory settlement) internal {
        bytes memory signature = attest(bridge, settlement, enclave);
        vm.prank(anyone);
        bridge.settleIntent(settlement, signature);
    }

    function refund(uint256 id) internal {
        vm.prank(anyone);
        bridge.refund(id);
    }

    function balance(address token, address account) internal view returns (uint256) {
        return DevnetToken(token).balanceOf(account);
    }
}
