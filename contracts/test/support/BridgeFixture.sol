// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {EnclaveKeyRegistry} from "../../src/EnclaveKeyRegistry.sol";
import {
    DevelopmentAttestationVerifier
} from "../../src/attestation/DevelopmentAttestationVerifier.sol";
import {DevnetToken} from "../../src/devnet/DevnetToken.sol";
import {DevnetUsdc} from "../../src/devnet/DevnetUsdc.sol";
import {
    Anchor,
    Append,
    Intent,
    NotDelivered,
    Reveal,
    Settlement,
    TokenListing,
    Windows
} from "../../src/interfaces/BridgeTypes.sol";
import {IAttestationVerifier} from "../../src/interfaces/IAttestationVerifier.sol";
import {Deployed} from "./Deployed.sol";
import {EnclaveSigning} from "./EnclaveSigning.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice One bridge with everything it needs, and the steps of an intent's life as one-liners.
abstract contract BridgeFixture is EnclaveSigning {
    uint256 internal constant SOURCE = 84_532;
    uint256 internal constant DEST = 2_651_420;
    uint32 internal constant MIN_DURATION = 20;
    uint32 internal constant FIRM = 30;
    uint32 internal constant PICKUP = 60;
    uint32 internal constant EXECUTION = 1 hours;
    uint32 internal constant GRACE = 72 hours;
    uint32 internal constant DELAY = 2 days;
    uint256 internal constant DURATION = 120;
    uint256 internal constant MIN_ESCROW = 1e6;
    uint256 internal constant MAX_ESCROW = 1e15;
    uint256 internal constant AMOUNT = 1_000e6;
    uint256 internal constant REWARD = 10e6;
    uint256 internal constant EXPECTED = 990e6;
    /// @dev 5 % of AMOUNT + REWARD.
    uint256 internal constant BOND = 50.5e6;
    uint256 internal constant STAKE = 10_000e6;
    uint16 internal constant FEE_BPS = 250;
    uint16 internal constant CLASS = 4;
    bytes internal constant BLOB = hex"01aa";

    address internal owner = makeAddr("owner");
    address internal treasury = makeAddr("treasury");
    address internal nobody = makeAddr("nobody's address");
    address internal sender = makeAddr("sender");
    address internal solver = makeAddr("solver");
    address internal rival = makeAddr("rival");
    address internal anyone = makeAddr("anyone");
    address internal recipient = makeAddr("recipient");
    address internal periphery = makeAddr("periphery");
    address internal tokenB = makeAddr("token of the destination chain");

    DevelopmentAttestationVerifier internal verifier;
    EnclaveKeyRegistry internal registry;
    BridgeIntentV2 internal bridge;
    DevnetUsdc internal usdc;

    function setUp() public virtual {
        vm.chainId(SOURCE);
        vm.warp(1_800_000_000);
        verifier = DevelopmentAttestationVerifier(
            Deployed.create("DevelopmentAttestationVerifier", abi.encode(quoting.addr))
        );
        registry = newRegistry(owner, verifier, EnclaveKeyRegistry.Terms(KEY_LIFETIME, 0, ADDITION));
        usdc = DevnetUsdc(Deployed.create("DevnetUsdc", ""));
        bridge = newBridge(windows());
        prepare(address(usdc));
        registerKey(registry, verifier, enclave, operator, MEASUREMENT);
    }

    function windows() internal pure returns (Windows memory) {
        return Windows(MIN_DURATION, FIRM, PICKUP, EXECUTION, GRACE, DELAY);
    }

    /// @dev Lists `usdc` with a quorum of one, the destination and the periphery.
    function newBridge(Windows memory windows_) internal returns (BridgeIntentV2) {
        TokenListing[] memory tokens = new TokenListing[](1);
        tokens[0] = TokenListing(address(usdc), MIN_ESCROW, MAX_ESCROW, 1);
        uint256[] memory destinations = new uint256[](1);
        destinations[0] = DEST;
        address[] memory peripheries = new address[](1);
        peripheries[0] = periphery;
        return BridgeIntentV2(
            Deployed.create(
                "BridgeIntentV2",
                abi.encode(
                    owner,
                    treasury,
                    address(registry),
                    nobody,
                    windows_,
                    tokens,
                    destinations,
                    peripheries
                )
            )
        );
    }

    /// @dev Announces a change, waits and enacts it.
    function enact(bytes memory change) internal {
        vm.prank(owner);
        bridge.announce(change);
        vm.warp(block.timestamp + DELAY);
        vm.prank(anyone);
        (bool done, bytes memory reason) = address(bridge).call(change);
        if (!done) {
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
    }

    /// @dev Lists a token, gives everybody plenty of it, approves it, and stakes for the solvers.
    function list(address token) internal {
        listWith(token, 1);
        prepare(token);
    }

    function listWith(address token, uint8 quorum) internal {
        enact(abi.encodeCall(bridge.listToken, (token, MIN_ESCROW, MAX_ESCROW, quorum)));
    }

    function prepare(address token) internal {
        fund(token, sender);
        fund(token, solver);
        fund(token, rival);
        fund(token, periphery);
        stakeAs(solver, token, STAKE);
        stakeAs(rival, token, STAKE);
    }

    function fund(address token, address account) internal {
        DevnetToken(token).mint(account, 1e18);
        vm.prank(account);
        SafeERC20.forceApprove(IERC20(token), address(bridge), type(uint256).max);
    }

    function stakeAs(address account, address token, uint256 amount) internal {
        (uint256 x,) = bridge.sealingKeyOf(account);
        vm.startPrank(account);
        // Whose key it is doesn't matter here, so the enclave's will do.
        if (x == 0) bridge.setSealingKey(enclave.publicKeyX, enclave.publicKeyY);
        bridge.stake(token, amount);
        vm.stopPrank();
    }

    function create() internal returns (uint256) {
        return createWith(address(usdc));
    }

    function createWith(address token) internal returns (uint256) {
        vm.prank(sender);
        return bridge.createIntent(token, tokenB, AMOUNT, EXPECTED, REWARD, DEST, DURATION);
    }

    function intentOf(uint256 id) internal view returns (Intent memory) {
        return bridge.getIntent(id);
    }

    function anchorOf(uint256 id, bytes memory blob) internal view returns (Anchor memory) {
        Intent memory intent = intentOf(id);
        return Anchor(id, intent.paramsHash, intent.blobsHash, FEE_BPS, CLASS, keccak256(blob));
    }

    function anchor(uint256 id) internal {
        anchor(anchorOf(id, BLOB), BLOB);
    }

    function anchor(Anchor memory given, bytes memory blob) internal {
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.prank(anyone);
        bridge.anchorIntent(
            given.intentId,
            given.paramsHash,
            given.blobsHashBefore,
            given.feeBps,
            given.recipientClass,
            blob,
            signature
        );
    }

    function append(uint256 id, bytes memory blob) internal {
        Intent memory intent = intentOf(id);
        append(Append(id, intent.paramsHash, intent.blobsHash, keccak256(blob)), blob);
    }

    function append(Append memory given, bytes memory blob) internal {
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.prank(anyone);
        bridge.appendBlob(given.intentId, given.paramsHash, given.blobsHashBefore, blob, signature);
    }

    function bid(uint256 id, address by, uint256 amountB) internal {
        vm.prank(by);
        bridge.placeBid(id, amountB);
    }

    function deposit(uint256 id, address by, uint256 amountB) internal {
        Intent memory intent = intentOf(id);
        vm.prank(by);
        bridge.depositAndPickup(id, intent.paramsHash, intent.blobsHash, amountB);
    }

    /// @dev An intent that is open for bids.
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
        return intentOf(id).endTime;
    }

    function lockedOf(address account) internal view returns (uint256 locked) {
        (, locked) = bridge.stakeOf(account, address(usdc));
    }

    function totalOf(address account) internal view returns (uint256 total) {
        (total,) = bridge.stakeOf(account, address(usdc));
    }

    function revealOf(uint256 id, bytes memory sealed_) internal view returns (Reveal memory) {
        Intent memory intent = intentOf(id);
        return Reveal(
            id,
            intent.paramsHash,
            intent.blobsHash,
            intent.solver,
            intent.amountB,
            keccak256(sealed_)
        );
    }

    function reveal(uint256 id, bytes memory sealed_) internal {
        bytes memory signature = signed(address(bridge), revealOf(id, sealed_), enclave);
        vm.prank(anyone);
        bridge.revealRecipients(id, sealed_, only(signature));
    }

    /// @dev What the enclaves would attest for an intent whose winner delivered.
    function settlementOf(uint256 id) internal view returns (Settlement memory) {
        Intent memory intent = intentOf(id);
        return Settlement(
            id, intent.paramsHash, intent.blobsHash, intent.solver, intent.amountB, (DEST << 64) | 7
        );
    }

    function settle(uint256 id) internal {
        settle(settlementOf(id));
    }

    function settle(Settlement memory settlement) internal {
        settleBy(settlement, enclave);
    }

    function settleBy(Settlement memory settlement, Vm.Wallet memory by) internal {
        bytes memory signature = signed(address(bridge), settlement, by);
        vm.prank(anyone);
        bridge.settleIntent(settlement, only(signature));
    }

    function notDeliveredOf(uint256 id) internal view returns (NotDelivered memory) {
        Intent memory intent = intentOf(id);
        return NotDelivered(
            id,
            intent.paramsHash,
            intent.blobsHash,
            intent.solver,
            intent.amountB,
            intent.fillDeadline
        );
    }

    function refundUndelivered(uint256 id) internal {
        refundUndelivered(notDeliveredOf(id));
    }

    function refundUndelivered(NotDelivered memory given) internal {
        bytes memory signature = signed(address(bridge), given, enclave);
        vm.prank(anyone);
        bridge.refundUndelivered(given, only(signature));
    }

    function refund(uint256 id) internal {
        vm.prank(anyone);
        bridge.refund(id);
    }

    function balance(address token, address account) internal view returns (uint256) {
        return DevnetToken(token).balanceOf(account);
    }
}
