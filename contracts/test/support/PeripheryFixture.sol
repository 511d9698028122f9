// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BridgeIntentV2} from "../../src/BridgeIntentV2.sol";
import {PERMIT2_ADDRESS, PERMIT2_CODE} from "../../src/devnet/DevnetPermit2.sol";
import {DevnetUsdc} from "../../src/devnet/DevnetUsdc.sol";
import {DevnetWeth} from "../../src/devnet/DevnetWeth.sol";
import {TokenListing, Windows} from "../../src/interfaces/BridgeTypes.sol";
import {Creation, CreationGateway, IntentTerms} from "../../src/periphery/CreationGateway.sol";
import {ISignatureTransfer} from "../../src/periphery/interfaces/ISignatureTransfer.sol";
import {CircleUsdc} from "./CircleUsdc.sol";
import {Deployed} from "./Deployed.sol";
import {FeeOnTransferToken, ReentrantToken, SilentToken} from "./HostileTokens.sol";
import {Test, Vm} from "forge-std/Test.sol";

/// @notice The gateway with a real bridge, the real Permit2 and the real USDC.
abstract contract PeripheryFixture is Test {
    uint256 internal constant DEST = 26_514;
    uint256 internal constant AMOUNT = 1_000_000;
    uint256 internal constant REWARD = 50_000;
    uint256 internal constant ESCROW = AMOUNT + REWARD;
    bytes internal constant BLOB = hex"01aabbcc";

    Vm.Wallet internal user = vm.createWallet("user");
    Vm.Wallet internal thief = vm.createWallet("thief");
    address internal submitter = makeAddr("submitter");
    address internal tokenB = makeAddr("tokenB");

    /// @dev The real one has all functions of the devnet's.
    DevnetUsdc internal usdc = DevnetUsdc(CircleUsdc.create());
    SilentToken internal silent = new SilentToken();
    FeeOnTransferToken internal fee = new FeeOnTransferToken();
    ReentrantToken internal reentrant = new ReentrantToken();
    DevnetWeth internal weth = DevnetWeth(Deployed.create("DevnetWeth", ""));
    BridgeIntentV2 internal bridge;
    CreationGateway internal gateway;

    function setUp() public virtual {
        vm.warp(1_750_000_000);
        vm.chainId(8_453);
        vm.etch(PERMIT2_ADDRESS, PERMIT2_CODE);
        address expected = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        bridge = newBridge(expected);
        gateway = CreationGateway(
            Deployed.create(
                "CreationGateway",
                abi.encode(bridge, ISignatureTransfer(PERMIT2_ADDRESS), address(weth))
            )
        );
        assertEq(address(gateway), expected);
        usdc.mint(user.addr, 1e12);
        vm.prank(user.addr);
        usdc.approve(PERMIT2_ADDRESS, type(uint256).max);
    }

    function newBridge(address periphery) internal returns (BridgeIntentV2) {
        address[5] memory given =
            [address(usdc), address(silent), address(fee), address(reentrant), address(weth)];
        TokenListing[] memory tokens = new TokenListing[](5);
        for (uint256 i = 0; i < 5; ++i) {
            tokens[i] = TokenListing(given[i], 10_000, 1e24, 1);
        }
        uint256[] memory destinations = new uint256[](1);
        destinations[0] = DEST;
        address[] memory list = new address[](1);
        list[0] = periphery;
        return BridgeIntentV2(
            Deployed.create(
                "BridgeIntentV2",
                abi.encode(
                    address(this),
                    makeAddr("treasury"),
                    makeAddr("registry"),
                    makeAddr("nobody"),
                    Windows(20, 30, 60, 3_600, 72 hours, 2 days),
                    tokens,
                    destinations,
                    list
                )
            )
        );
    }

    function creation() internal view returns (Creation memory) {
        return Creation({
            user: user.addr,
            terms: IntentTerms({
                tokenA: address(usdc),
                tokenB: tokenB,
                amountA: AMOUNT,
                expectedAmountB: 900_000,
                reward: REWARD,
                destChainId: DEST,
                auctionDuration: 60
            }),
            salt: keccak256("salt"),
            deadline: block.timestamp + 600
        });
    }

    /// @dev What a wallet signs for Permit2: built from the types' text, not from the gateway's code.
    function permitSignature(Vm.Wallet memory by, Creation memory given, bytes memory blob)
        internal
        view
        returns (bytes memory)
    {
        bytes32 permitted = keccak256(
            abi.encode(
                keccak256("TokenPermissions(address token,uint256 amount)"),
                given.terms.tokenA,
                given.terms.amountA + given.terms.reward
            )
        );
        bytes32 permit = keccak256(
            abi.encode(
                keccak256(
                    "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,CreateIntent witness)CreateIntent(address bridge,uint256 chainId,address user,address tokenA,address tokenB,uint256 amountA,uint256 expectedAmountB,uint256 reward,uint256 destChainId,uint256 auctionDuration,bytes32 salt,uint256 deadline,bytes32 blobHash)TokenPermissions(address token,uint256 amount)"
                ),
                permitted,
                address(gateway),
                uint256(given.salt),
                given.deadline,
                witness(given, blob)
            )
        );
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)"),
                keccak256("Permit2"),
                block.chainid,
                PERMIT2_ADDRESS
            )
        );
        return sign(by, keccak256(abi.encodePacked(hex"1901", domain, permit)));
    }

    function witness(Creation memory given, bytes memory blob) internal view returns (bytes32) {
        IntentTerms memory terms = given.terms;
        bytes memory start = abi.encode(
            keccak256(
                "CreateIntent(address bridge,uint256 chainId,address user,address tokenA,address tokenB,uint256 amountA,uint256 expectedAmountB,uint256 reward,uint256 destChainId,uint256 auctionDuration,bytes32 salt,uint256 deadline,bytes32 blobHash)"
            ),
            address(bridge),
            block.chainid,
            given.user,
            terms.tokenA,
            terms.tokenB,
            terms.amountA
        );
        bytes memory rest = abi.encode(
            terms.expectedAmountB,
            terms.reward,
            terms.destChainId,
            terms.auctionDuration,
            given.salt,
            given.deadline,
            keccak256(blob)
        );
        return keccak256(bytes.concat(start, rest));
    }

    /// @dev EIP-3009's nonce, from the types' text.
    function digest(Creation memory given, bytes memory blob) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("CreationGateway"),
                keccak256("1"),
                block.chainid,
                address(gateway)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, witness(given, blob)));
    }

    function authorization(Vm.Wallet memory by, Creation memory given, bytes memory blob)
        internal
        view
        returns (bytes memory)
    {
        bytes32 authorized = keccak256(
            abi.encode(
                keccak256(
                    "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
                ),
                given.user,
                address(gateway),
                given.terms.amountA + given.terms.reward,
                0,
                given.deadline,
                digest(given, blob)
            )
        );
        bytes32 domain = usdc.DOMAIN_SEPARATOR();
        return sign(by, keccak256(abi.encodePacked(hex"1901", domain, authorized)));
    }

    function sign(Vm.Wallet memory by, bytes32 hash) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(by.privateKey, hash);
        return abi.encodePacked(r, s, v);
    }
}
