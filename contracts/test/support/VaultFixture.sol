// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {EnclaveKeyRegistry} from "../../src/EnclaveKeyRegistry.sol";
import {OrderVault} from "../../src/OrderVault.sol";
import {
    DevelopmentAttestationVerifier
} from "../../src/attestation/DevelopmentAttestationVerifier.sol";
import {DevnetToken} from "../../src/devnet/DevnetToken.sol";
import {DevnetUsdc} from "../../src/devnet/DevnetUsdc.sol";
import {TokenListing, Windows} from "../../src/interfaces/BridgeTypes.sol";
import {FundingRequest, OrderTerms} from "../../src/interfaces/IOrderVault.sol";
import {Deployed} from "./Deployed.sol";
import {EnclaveRegistration} from "./EnclaveRegistration.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice A vault with a real bridge and registry on a mainnet, three enclaves of three operators,
///         one token that asks for one signature and one that asks for two.
abstract contract VaultFixture is EnclaveRegistration {
    uint256 internal constant MAINNET = 8_453;
    uint256 internal constant TESTNET = 84_532;
    uint256 internal constant DEST = 26_514;
    uint32 internal constant FUNDING_WINDOW = 600;
    uint32 internal constant CLOSE_DELAY = 1 days;
    uint32 internal constant MIN_AUCTION = 20;
    uint32 internal constant EXECUTION = 3_600;
    uint32 internal constant GRACE = 72 hours;
    uint256 internal constant MIN_ESCROW = 10_000;
    uint256 internal constant MAX_ESCROW = 1e15;

    uint256 internal constant EACH = 1_000_001;
    uint256 internal constant TOTAL = 4 * EACH + 77;
    uint256 internal constant EXPECTED = 900_000;
    uint256 internal constant PERIOD = 101;

    Vm.Wallet internal owner = vm.createWallet("order owner");
    Vm.Wallet internal stranger = vm.createWallet("stranger");
    address internal anyone = makeAddr("anyone");
    address internal admin = makeAddr("bridge owner");
    address internal tokenB = makeAddr("tokenB");

    // Sorted by address, each with its own operator.
    Vm.Wallet[3] internal enclaves;
    DevnetUsdc internal usdc = DevnetUsdc(Deployed.create("DevnetUsdc", ""));
    DevnetToken internal strict =
        DevnetToken(Deployed.create("DevnetToken", abi.encode("Two signatures", "TWO", 18)));
    EnclaveKeyRegistry internal registry;
    BridgeIntentV2 internal bridge;
    OrderVault internal vault;

    function setUp() public virtual {
        vm.warp(1_750_000_000);
        vm.chainId(TESTNET);
        setUpRegistry();
        vm.chainId(MAINNET);
        setUpContracts();
        fund(address(usdc), owner.addr);
        fund(address(usdc), stranger.addr);
        fund(address(strict), owner.addr);
    }

    function setUpRegistry() private {
        DevelopmentAttestationVerifier verifier = DevelopmentAttestationVerifier(
            Deployed.create("DevelopmentAttestationVerifier", abi.encode(quoting.addr))
        );
        bytes32[] memory measurements = new bytes32[](1);
        measurements[0] = MEASUREMENT;
        address[] memory operators = new address[](3);
        Vm.Wallet[3] memory by;
        for (uint256 i = 0; i < 3; ++i) {
            by[i] = vm.createWallet(string.concat("operator ", Strings.toString(i)));
            enclaves[i] = vm.createWallet(string.concat("enclave ", Strings.toString(i)));
            operators[i] = by[i].addr;
        }
        sortEnclaves();
        registry = EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry",
                abi.encode(
                    admin,
                    verifier,
                    true,
                    EnclaveKeyRegistry.Terms(KEY_LIFETIME * 100, 0, ADDITION),
                    measurements,
                    operators
                )
            )
        );
        for (uint256 i = 0; i < 3; ++i) {
            registerKey(registry, verifier, enclaves[i], by[i], MEASUREMENT);
        }
    }

    function sortEnclaves() private {
        for (uint256 i = 0; i < 3; ++i) {
            for (uint256 j = i + 1; j < 3; ++j) {
                Vm.Wallet memory one = enclaves[i];
                Vm.Wallet memory other = enclaves[j];
                if (one.addr < other.addr) continue;
                enclaves[i] = other;
                enclaves[j] = one;
            }
        }
    }

    function setUpContracts() private {
        address expected = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        TokenListing[] memory tokens = new TokenListing[](2);
        tokens[0] = TokenListing(address(usdc), MIN_ESCROW, MAX_ESCROW, 1);
        tokens[1] = TokenListing(address(strict), MIN_ESCROW, MAX_ESCROW, 2);
        uint256[] memory destinations = new uint256[](1);
        destinations[0] = DEST;
        address[] memory periphery = new address[](1);
        periphery[0] = expected;
        bridge = BridgeIntentV2(
            Deployed.create(
                "BridgeIntentV2",
                abi.encode(
                    admin,
                    makeAddr("treasury"),
                    address(registry),
                    makeAddr("nobody"),
                    Windows(MIN_AUCTION, 30, 60, EXECUTION, GRACE, 2 days),
                    tokens,
                    destinations,
                    periphery
                )
            )
        );
        vault = OrderVault(
            Deployed.create("OrderVault", abi.encode(bridge, registry, FUNDING_WINDOW, CLOSE_DELAY))
        );
        assertEq(address(vault), expected);
    }

    function fund(address token, address account) internal {
        DevnetToken(token).mint(account, 1e18);
        vm.prank(account);
        DevnetToken(token).approve(address(vault), type(uint256).max);
    }

    function terms() internal view returns (OrderTerms memory) {
        return OrderTerms({
            owner: owner.addr,
            token: address(usdc),
            destChainId: DEST,
            tokenB: tokenB,
            expectedAmountB: EXPECTED,
            totalAmount: TOTAL,
            amountPerPeriod: EACH,
            period: PERIOD,
            startTime: block.timestamp - 1,
            endTime: block.timestamp + 30 days,
            deadline: block.timestamp + FUNDING_WINDOW
        });
    }

    /// @dev As the SDK words it; the digits begin at 11.
    function orderMessage(bytes32 orderId) internal view returns (bytes memory) {
        bytes memory digits = bytes(Strings.toHexString(uint256(orderId), 32));
        bytes memory plain = new bytes(64);
        for (uint256 i = 0; i < 64; ++i) {
            plain[i] = digits[i + 2];
        }
        return abi.encodePacked("TWAP_ORDER:", plain, ":8453:", Strings.toString(block.timestamp));
    }

    function personalSign(Vm.Wallet memory by, bytes memory message)
        internal
        pure
        returns (bytes memory)
    {
        bytes memory length = bytes(Strings.toString(message.length));
        return
            sign(by, keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n", length, message)));
    }

    /// @dev Signatures of the first `count` enclaves.
    function quorumOf(uint256 count, bytes32 digest)
        internal
        view
        returns (bytes[] memory signatures)
    {
        signatures = new bytes[](count);
        for (uint256 i = 0; i < count; ++i) {
            signatures[i] = sign(enclaves[i], digest);
        }
    }

    function quorumFor(address token) internal view returns (uint256) {
        return token == address(strict) ? 2 : 1;
    }

    /// @dev Funds an order as the service would: the owner's message, the enclaves' signatures.
    function fundOrder(OrderTerms memory given, bytes memory encrypted, Vm.Wallet memory by)
        internal
        returns (bytes32 orderId)
    {
        orderId = keccak256(encrypted);
        bytes memory message = orderMessage(orderId);
        bytes[] memory signatures =
            quorumOf(quorumFor(given.token), vault.fundingDigest(orderId, given));
        bytes memory ownerSignature = personalSign(by, message);
        vm.prank(anyone);
        vault.fundOrder(FundingRequest(given, 11), encrypted, message, ownerSignature, signatures);
    }

    function funded() internal returns (bytes32) {
        return fundOrder(terms(), "ciphertext", owner);
    }

    function fire(bytes32 orderId, uint256 n) internal returns (uint256) {
        return fire(orderId, n, hex"01aa");
    }

    function fire(bytes32 orderId, uint256 n, bytes memory blob) internal returns (uint256) {
        bytes32 digest = vault.trancheDigest(orderId, n, keccak256(blob));
        bytes[] memory signatures = quorumOf(vault.getOrder(orderId).quorum, digest);
        vm.prank(anyone);
        return vault.fireTranche(orderId, n, blob, signatures);
    }

    function closeSigned(bytes32 orderId) internal {
        bytes[] memory signatures =
            quorumOf(vault.getOrder(orderId).quorum, vault.closeDigest(orderId));
        vm.prank(anyone);
        vault.closeOrderSigned(orderId, signatures);
    }

    function balance(address token, address account) internal view returns (uint256) {
        return DevnetToken(token).balanceOf(account);
    }
}
