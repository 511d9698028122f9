// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PERMIT2_ADDRESS} from "../../src/devnet/DevnetPermit2.sol";
import {Intent} from "../../src/interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../../src/interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../../src/interfaces/IBridgeEvents.sol";
import {IBridgeIntentV2} from "../../src/interfaces/IBridgeIntentV2.sol";
import {Creation, CreationGateway, IntentTerms} from "../../src/periphery/CreationGateway.sol";
import {ISignatureTransfer} from "../../src/periphery/interfaces/ISignatureTransfer.sol";
import {Deployed} from "../support/Deployed.sol";
import {PeripheryFixture} from "../support/PeripheryFixture.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice A smart account with one key; its signatures begin with an extra byte.
contract KeyedAccount is IERC1271 {
    address private immutable KEY;

    constructor(address key) {
        KEY = key;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature)
        external
        view
        returns (bytes4)
    {
        (address signer,,) = ECDSA.tryRecover(hash, signature[1:]);
        return signer == KEY ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}

contract CreationGatewayTest is PeripheryFixture {
    uint256 internal constant FIRST = (8_453 << 64) | 1;

    bytes4 internal constant INVALID_SIGNER = bytes4(keccak256("InvalidSigner()"));
    bytes4 internal constant INVALID_NONCE = bytes4(keccak256("InvalidNonce()"));

    function byPermit(Creation memory given, bytes memory blob, bytes memory signature)
        internal
        returns (uint256)
    {
        vm.prank(submitter);
        return gateway.createByPermit2(given, blob, signature);
    }

    function byAuthorization(Creation memory given, bytes memory blob, bytes memory signature)
        internal
        returns (uint256)
    {
        vm.prank(submitter);
        return gateway.createByAuthorization(given, blob, signature);
    }

    function expectCreated(Creation memory given, bytes memory blob) internal {
        vm.expectEmit(address(bridge));
        emit IBridgeEvents.IntentCreated(
            FIRST,
            given.user,
            DEST,
            given.terms.tokenA,
            tokenB,
            given.terms.amountA,
            given.terms.expectedAmountB,
            given.terms.reward,
            block.timestamp + given.terms.auctionDuration,
            blob
        );
    }

    function test_constructor() public {
        vm.expectRevert(CreationGateway.ZeroAddress.selector);
        CreationGateway(
            Deployed.create(
                "CreationGateway",
                abi.encode(
                    IBridgeIntentV2(address(0)), ISignatureTransfer(PERMIT2_ADDRESS), address(weth)
                )
            )
        );
        assertEq(address(gateway.BRIDGE()), address(bridge));
        assertEq(address(gateway.PERMIT2()), PERMIT2_ADDRESS);
        assertEq(gateway.WETH(), address(weth));
    }

    function test_theWitnessTypeIsTheSigned() public view {
        string memory typed =
            "CreateIntent(address bridge,uint256 chainId,address user,address tokenA,address tokenB,uint256 amountA,uint256 expectedAmountB,uint256 reward,uint256 destChainId,uint256 auctionDuration,bytes32 salt,uint256 deadline,bytes32 blobHash)";
        assertEq(gateway.CREATE_INTENT_TYPEHASH(), keccak256(bytes(typed)));
        assertEq(
            gateway.WITNESS_TYPE(),
            string.concat(
                "CreateIntent witness)", typed, "TokenPermissions(address token,uint256 amount)"
            )
        );
        assertEq(gateway.creationDigest(creation(), BLOB), digest(creation(), BLOB));
    }

    function test_permit2_createsAsTheUserWouldHave() public {
        Creation memory given = creation();
        expectCreated(given, BLOB);
        uint256 before = usdc.balanceOf(user.addr);
        assertEq(byPermit(given, BLOB, permitSignature(user, given, BLOB)), FIRST);
        assertEq(usdc.balanceOf(user.addr), before - ESCROW);
        assertEq(usdc.balanceOf(address(bridge)), ESCROW);
        assertEq(usdc.balanceOf(address(gateway)), 0);
        Intent memory intent = bridge.getIntent(FIRST);
        assertEq(intent.sender, user.addr);
        assertTrue(intent.blobAtCreation);
        vm.prank(user.addr);
        bridge.cancelIntent(FIRST);
        assertEq(usdc.balanceOf(user.addr), before);
    }

    function test_authorization_createsAsTheUserWouldHave() public {
        Creation memory given = creation();
        expectCreated(given, BLOB);
        uint256 before = usdc.balanceOf(user.addr);
        assertEq(byAuthorization(given, BLOB, authorization(user, given, BLOB)), FIRST);
        assertEq(usdc.balanceOf(user.addr), before - ESCROW);
        assertEq(usdc.balanceOf(address(bridge)), ESCROW);
        assertEq(bridge.getIntent(FIRST).sender, user.addr);
        assertTrue(usdc.authorizationState(user.addr, gateway.creationDigest(given, BLOB)));
    }

    function test_withoutABlob() public {
        Creation memory given = creation();
        byPermit(given, "", permitSignature(user, given, ""));
        assertFalse(bridge.getIntent(FIRST).blobAtCreation);
        byAuthorization(given, "", authorization(user, given, ""));
        assertFalse(bridge.getIntent(FIRST + 1).blobAtCreation);
    }

    function test_smartAccounts() public {
        KeyedAccount account = new KeyedAccount(user.addr);
        usdc.mint(address(account), 2 * ESCROW);
        vm.prank(address(account));
        usdc.approve(PERMIT2_ADDRESS, type(uint256).max);
        Creation memory given = creation();
        given.user = address(account);
        byPermit(given, BLOB, bytes.concat(hex"aa", permitSignature(user, given, BLOB)));
        byAuthorization(given, BLOB, bytes.concat(hex"aa", authorization(user, given, BLOB)));
        assertEq(bridge.getIntent(FIRST).sender, address(account));
        assertEq(bridge.getIntent(FIRST + 1).sender, address(account));
        assertEq(usdc.balanceOf(address(account)), 0);
    }

    /// @dev Two accounts with one key: what one signed isn't the other's.
    function test_attack_anotherAccountOfTheSameKey() public {
        KeyedAccount account = new KeyedAccount(user.addr);
        KeyedAccount other = new KeyedAccount(user.addr);
        usdc.mint(address(other), ESCROW);
        vm.prank(address(other));
        usdc.approve(PERMIT2_ADDRESS, type(uint256).max);
        Creation memory given = creation();
        given.user = address(account);
        bytes memory permit = bytes.concat(hex"aa", permitSignature(user, given, BLOB));
        given.user = address(other);
        vm.expectPartialRevert(bytes4(keccak256("InvalidContractSignature()")));
        byPermit(given, BLOB, permit);
    }

    /// @dev The submitter would be paid by the solver that it names as a recipient.
    function test_attack_aBlobOfTheSubmitters() public {
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, BLOB);
        bytes memory receipt = authorization(user, given, BLOB);
        bytes[3] memory blobs = [bytes(hex"01aabbcd"), "", bytes(hex"01aabbcc00")];
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectRevert(INVALID_SIGNER);
            byPermit(given, blobs[i], permit);
            vm.expectRevert("FiatTokenV2: invalid signature");
            byAuthorization(given, blobs[i], receipt);
        }
    }

    /// @dev Nothing that was signed can be changed, not even one bit of any word.
    function testFuzz_attack_anyOtherTerms(uint256 word, uint256 bit) public {
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, BLOB);
        bytes memory receipt = authorization(user, given, BLOB);
        Creation memory other = changed(given, word % 10, bit % 64);
        vm.prank(submitter);
        (bool done,) =
            address(gateway).call(abi.encodeCall(gateway.createByPermit2, (other, BLOB, permit)));
        assertFalse(done);
        vm.prank(submitter);
        (done,) = address(gateway)
            .call(abi.encodeCall(gateway.createByAuthorization, (other, BLOB, receipt)));
        assertFalse(done);
        assertEq(bridge.getLatestIntentId(), 0);
    }

    /// @dev The thief's tokens exist, accounts have approved, durations are accepted: only the
    ///      signature is wrong.
    function changed(Creation memory given, uint256 word, uint256 bit)
        internal
        returns (Creation memory)
    {
        IntentTerms memory terms = given.terms;
        uint256 mask = 1 << bit;
        if (word == 0) given.user = thief.addr;
        if (word == 1) terms.tokenA = address(weth);
        if (word == 2) terms.tokenB = address(uint160(terms.tokenB) ^ uint160(mask));
        if (word == 3) (terms.amountA, terms.reward) = (AMOUNT + 1, REWARD - 1);
        if (word == 4) terms.expectedAmountB ^= 1 << (bit % 16);
        if (word == 5) (terms.amountA, terms.reward) = (AMOUNT - 1, REWARD + 1);
        if (word == 6) terms.destChainId ^= mask;
        if (word == 7) terms.auctionDuration += 1 + bit;
        if (word == 8) given.salt ^= bytes32(mask);
        if (word == 9) given.deadline += 1 + bit;
        weth.mint(user.addr, ESCROW);
        usdc.mint(thief.addr, ESCROW);
        vm.prank(user.addr);
        weth.approve(PERMIT2_ADDRESS, type(uint256).max);
        vm.prank(thief.addr);
        usdc.approve(PERMIT2_ADDRESS, type(uint256).max);
        return given;
    }

    function test_attack_sentTwice() public {
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, BLOB);
        byPermit(given, BLOB, permit);
        vm.expectRevert(INVALID_NONCE);
        byPermit(given, BLOB, permit);
        bytes memory receipt = authorization(user, given, BLOB);
        byAuthorization(given, BLOB, receipt);
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        byAuthorization(given, BLOB, receipt);
    }

    function test_attack_onAnotherChain() public {
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, BLOB);
        bytes memory receipt = authorization(user, given, BLOB);
        vm.chainId(10);
        vm.expectRevert(INVALID_SIGNER);
        byPermit(given, BLOB, permit);
        vm.expectRevert("FiatTokenV2: invalid signature");
        byAuthorization(given, BLOB, receipt);
        // The signed struct itself names the chain, not only the domain.
        assertEq(gateway.creationDigest(given, BLOB), digest(given, BLOB));
    }

    /// @dev A second gateway, of another bridge, on the same chain.
    function test_attack_throughAnotherGateway() public {
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, BLOB);
        bytes memory receipt = authorization(user, given, BLOB);
        CreationGateway other = CreationGateway(
            Deployed.create(
                "CreationGateway",
                abi.encode(
                    newBridge(
                        vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1)
                    ),
                    ISignatureTransfer(PERMIT2_ADDRESS),
                    address(weth)
                )
            )
        );
        vm.expectRevert(INVALID_SIGNER);
        other.createByPermit2(given, BLOB, permit);
        vm.expectRevert("FiatTokenV2: invalid signature");
        other.createByAuthorization(given, BLOB, receipt);
    }

    /// @dev The transfer alone would leave the user without tokens and without an intent.
    function test_attack_theTransferWithoutTheIntent() public {
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, BLOB);
        string memory typed = gateway.WITNESS_TYPE();
        vm.prank(submitter);
        vm.expectRevert(INVALID_SIGNER);
        ISignatureTransfer(PERMIT2_ADDRESS)
            .permitWitnessTransferFrom(
                ISignatureTransfer.PermitTransferFrom(
                    ISignatureTransfer.TokenPermissions(address(usdc), ESCROW),
                    uint256(given.salt),
                    given.deadline
                ),
                ISignatureTransfer.SignatureTransferDetails(address(gateway), ESCROW),
                user.addr,
                witness(given, BLOB),
                typed,
                permit
            );
        bytes memory receipt = authorization(user, given, BLOB);
        bytes32 nonce = digest(given, BLOB);
        vm.prank(submitter);
        vm.expectRevert("FiatTokenV2: caller must be the payee");
        usdc.receiveWithAuthorization(
            user.addr, address(gateway), ESCROW, 0, given.deadline, nonce, receipt
        );
    }

    function test_deadlines() public {
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, BLOB);
        bytes memory receipt = authorization(user, given, BLOB);
        bytes memory passed =
            abi.encodeWithSelector(CreationGateway.DeadlinePassed.selector, given.deadline);
        vm.warp(given.deadline);
        vm.expectRevert(passed);
        byPermit(given, BLOB, permit);
        vm.expectRevert(passed);
        byAuthorization(given, BLOB, receipt);
        vm.warp(given.deadline - 1);
        byPermit(given, BLOB, permit);
        byAuthorization(given, BLOB, receipt);
    }

    /// @dev A token without EIP-3009 whose fallback swallows the call. The gateway was sent tokens
    ///      by mistake, so the bridge would be paid.
    function test_attack_aTokenThatTakesAnyCall() public {
        silent.mint(address(gateway), ESCROW);
        Creation memory given = creation();
        given.terms.tokenA = address(silent);
        bytes memory signature = authorization(thief, given, BLOB);
        bytes memory short = abi.encodeWithSelector(
            CreationGateway.TransferShort.selector, address(silent), ESCROW, 0
        );
        vm.expectRevert(short);
        byAuthorization(given, BLOB, signature);
        vm.expectRevert(short);
        byAuthorization(given, BLOB, bytes.concat(signature, hex"00"));
    }

    /// @dev It charges the user's transfers alone, and the gateway was sent tokens by mistake: the
    ///      bridge would be paid.
    function test_attack_aTokenThatTakesAFee() public {
        fee.mint(user.addr, ESCROW);
        fee.mint(address(gateway), ESCROW);
        vm.prank(user.addr);
        fee.approve(PERMIT2_ADDRESS, type(uint256).max);
        fee.setTakesFeeFrom(user.addr);
        Creation memory given = creation();
        given.terms.tokenA = address(fee);
        bytes memory permit = permitSignature(user, given, BLOB);
        vm.expectRevert(
            abi.encodeWithSelector(
                CreationGateway.TransferShort.selector, address(fee), ESCROW, ESCROW - ESCROW / 100
            )
        );
        byPermit(given, BLOB, permit);
    }

    function test_attack_reentrance() public {
        reentrant.mint(user.addr, 2 * ESCROW);
        vm.prank(user.addr);
        reentrant.approve(PERMIT2_ADDRESS, type(uint256).max);
        Creation memory given = creation();
        given.terms.tokenA = address(reentrant);
        Creation memory second = creation();
        second.terms.tokenA = address(reentrant);
        second.salt = keccak256("second");
        bytes memory again = permitSignature(user, second, BLOB);
        IntentTerms memory ether_ = creation().terms;
        ether_.tokenA = address(weth);
        bytes[3] memory calls = [
            abi.encodeCall(gateway.createByPermit2, (second, BLOB, again)),
            abi.encodeCall(gateway.createByAuthorization, (second, BLOB, again)),
            abi.encodeCall(gateway.createWithEther, (ether_, BLOB))
        ];
        bytes memory permit = permitSignature(user, given, BLOB);
        for (uint256 i = 0; i < 3; ++i) {
            uint256 snapshot = vm.snapshotState();
            reentrant.arm(address(gateway), calls[i]);
            byPermit(given, BLOB, permit);
            assertTrue(reentrant.called());
            assertEq(
                reentrant.answer(),
                abi.encodeWithSelector(
                    ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
                )
            );
            assertTrue(vm.revertToState(snapshot));
        }
    }

    function test_whatTheBridgeRefusesCostsTheUserNothing() public {
        bridge.pauseCreation();
        Creation memory given = creation();
        bytes memory permit = permitSignature(user, given, BLOB);
        uint256 before = usdc.balanceOf(user.addr);
        vm.expectRevert(IBridgeErrors.CreationIsPaused.selector);
        byPermit(given, BLOB, permit);
        assertEq(usdc.balanceOf(user.addr), before);
        bridge.resumeCreation();
        byPermit(given, BLOB, permit);
    }

    function test_oneApprovalOfTheBridgeIsEnough() public {
        Creation memory given = creation();
        byPermit(given, BLOB, permitSignature(user, given, BLOB));
        // USDC decrements even an unlimited allowance.
        uint256 left = usdc.allowance(address(gateway), address(bridge));
        assertEq(left, type(uint256).max - ESCROW);
        vm.expectCall(address(usdc), abi.encodeWithSelector(usdc.approve.selector), 0);
        byAuthorization(given, BLOB, authorization(user, given, BLOB));
    }

    function test_ether() public {
        IntentTerms memory terms = creation().terms;
        terms.tokenA = address(weth);
        Creation memory given = creation();
        given.terms = terms;
        vm.deal(user.addr, ESCROW);
        expectCreated(given, BLOB);
        vm.prank(user.addr);
        assertEq(gateway.createWithEther{value: ESCROW}(terms, BLOB), FIRST);
        assertEq(user.addr.balance, 0);
        assertEq(address(weth).balance, ESCROW);
        assertEq(weth.balanceOf(address(bridge)), ESCROW);
        vm.prank(user.addr);
        bridge.cancelIntent(FIRST);
        assertEq(weth.balanceOf(user.addr), ESCROW);
    }

    function test_ether_exactly() public {
        IntentTerms memory terms = creation().terms;
        vm.deal(address(this), 10 * ESCROW);
        vm.expectRevert(
            abi.encodeWithSelector(
                CreationGateway.NotWrappedEther.selector, address(usdc), address(weth)
            )
        );
        gateway.createWithEther{value: ESCROW}(terms, BLOB);
        terms.tokenA = address(weth);
        uint256[3] memory sent = [ESCROW - 1, ESCROW + 1, 0];
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(CreationGateway.WrongValue.selector, sent[i], ESCROW)
            );
            gateway.createWithEther{value: sent[i]}(terms, BLOB);
        }
    }

    /// @dev Plain ether is refused: it could never leave again.
    function test_etherAloneIsRefused() public {
        vm.deal(address(this), 1);
        (bool taken,) = address(gateway).call{value: 1}("");
        assertFalse(taken);
    }

    function testFuzz_bothWays(
        uint96 amountA,
        uint96 reward,
        uint96 expected,
        uint16 duration,
        bytes32 salt,
        bytes memory blob
    ) public {
        vm.assume(blob.length <= 16_384);
        Creation memory given = creation();
        given.terms.amountA = bound(amountA, 10_000, 1e24 / 2);
        given.terms.reward = bound(reward, 0, given.terms.amountA / 5);
        given.terms.expectedAmountB = bound(expected, 1, type(uint96).max);
        given.terms.auctionDuration = bound(duration, 20, type(uint16).max);
        given.salt = salt;
        usdc.mint(user.addr, 4 * (given.terms.amountA + given.terms.reward));
        uint256[2] memory ids = [
            byPermit(given, blob, permitSignature(user, given, blob)),
            byAuthorization(given, blob, authorization(user, given, blob))
        ];
        for (uint256 i = 0; i < 2; ++i) {
            Intent memory intent = bridge.getIntent(ids[i]);
            assertEq(intent.sender, user.addr);
            assertEq(intent.amountA, given.terms.amountA);
            assertEq(intent.reward, given.terms.reward);
            assertEq(intent.expectedAmountB, given.terms.expectedAmountB);
            assertEq(intent.auctionDuration, given.terms.auctionDuration);
            assertEq(intent.tokenB, given.terms.tokenB);
            assertEq(intent.destChainId, given.terms.destChainId);
        }
        assertEq(usdc.balanceOf(address(gateway)), 0);
    }
}
