// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {OrderVault} from "../../src/OrderVault.sol";
import {IBridgeErrors} from "../../src/interfaces/IBridgeErrors.sol";
import {IBridgeIntentV2} from "../../src/interfaces/IBridgeIntentV2.sol";
import {IEnclaveKeyRegistry} from "../../src/interfaces/IEnclaveKeyRegistry.sol";
import {FundingRequest, IOrderVault, Order, OrderTerms} from "../../src/interfaces/IOrderVault.sol";
import {Deployed} from "../support/Deployed.sol";
import {VaultFixture} from "../support/VaultFixture.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice A smart account with one key.
contract SmartAccount is IERC1271 {
    address private immutable KEY;

    constructor(address key, IERC20 token, address spender) {
        KEY = key;
        token.approve(spender, type(uint256).max);
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

contract OrderFundingTest is VaultFixture {
    bytes32 internal constant ORDER = keccak256("ciphertext");

    function expectFundingToFail(OrderTerms memory given, bytes memory reason) internal {
        bytes memory message = orderMessage(ORDER);
        bytes memory signature = personalSign(owner, message);
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(ORDER, given));
        vm.expectRevert(reason);
        vault.fundOrder(FundingRequest(given, 11), "ciphertext", message, signature, signatures);
    }

    /// @dev Everything is right but the owner's consent.
    function fundBy(bytes memory message, uint256 offset, bytes memory ownerSignature) internal {
        fundBy(message, offset, ownerSignature, "");
    }

    /// @dev The same; it must fail for `reason` if there is one.
    function fundBy(
        bytes memory message,
        uint256 offset,
        bytes memory ownerSignature,
        bytes memory reason
    ) internal {
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(ORDER, terms()));
        FundingRequest memory request = FundingRequest(terms(), offset);
        if (reason.length > 0) vm.expectRevert(reason);
        vault.fundOrder(request, "ciphertext", message, ownerSignature, signatures);
    }

    function test_constructor() public {
        vm.expectRevert(IOrderVault.ZeroAddress.selector);
        OrderVault(
            Deployed.create("OrderVault", abi.encode(IBridgeIntentV2(address(0)), registry, 1, 1))
        );
        vm.expectRevert(IOrderVault.ZeroAddress.selector);
        OrderVault(
            Deployed.create("OrderVault", abi.encode(bridge, IEnclaveKeyRegistry(address(0)), 1, 1))
        );
        vm.expectRevert(IOrderVault.ZeroWindow.selector);
        OrderVault(Deployed.create("OrderVault", abi.encode(bridge, registry, 0, 1)));
        vm.expectRevert(IOrderVault.ZeroWindow.selector);
        OrderVault(Deployed.create("OrderVault", abi.encode(bridge, registry, 1, 0)));
        assertEq(address(vault.BRIDGE()), address(bridge));
        assertEq(address(vault.REGISTRY()), address(registry));
        assertEq(vault.FUNDING_WINDOW(), FUNDING_WINDOW);
        assertEq(vault.CLOSE_DELAY(), CLOSE_DELAY);
        assertEq(vault.MIN_PERIOD(), 5);
        assertEq(vault.REWARD_BPS(), 500);
        assertEq(vault.PUSH_GAS(), 300_000);
    }

    function test_digestsAreTypedData() public view {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("OrderVault"),
                keccak256("1"),
                block.chainid,
                address(vault)
            )
        );
        OrderTerms memory given = terms();
        bytes32 fund = keccak256(
            abi.encode(
                keccak256(
                    "FundOrder(bytes32 orderId,address owner,address token,uint256 destChainId,address tokenB,uint256 expectedAmountB,uint256 totalAmount,uint256 amountPerPeriod,uint256 period,uint256 startTime,uint256 endTime,uint256 deadline)"
                ),
                ORDER,
                given
            )
        );
        bytes32 tranche = keccak256(
            abi.encode(
                keccak256("FireTranche(bytes32 orderId,uint256 n,bytes32 blobHash)"),
                ORDER,
                uint256(7),
                bytes32(uint256(8))
            )
        );
        bytes32 close = keccak256(abi.encode(keccak256("CloseOrder(bytes32 orderId)"), ORDER));
        assertEq(vault.fundingDigest(ORDER, given), typedData(domain, fund));
        assertEq(vault.trancheDigest(ORDER, 7, bytes32(uint256(8))), typedData(domain, tranche));
        assertEq(vault.closeDigest(ORDER), typedData(domain, close));
    }

    function typedData(bytes32 domain, bytes32 structHash) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function test_funding_takesTheTokensAndKeepsTheTerms() public {
        OrderTerms memory given = terms();
        uint256 before = balance(address(usdc), owner.addr);
        vm.expectEmit(address(vault));
        emit IOrderVault.OrderFunded(
            ORDER,
            owner.addr,
            address(usdc),
            DEST,
            tokenB,
            EXPECTED,
            TOTAL,
            EACH,
            PERIOD,
            given.startTime,
            given.endTime,
            1,
            "ciphertext"
        );
        assertEq(funded(), ORDER);
        assertEq(balance(address(usdc), owner.addr), before - TOTAL);
        assertEq(balance(address(usdc), address(vault)), TOTAL);
        Order memory order = vault.getOrder(ORDER);
        assertEq(order.owner, owner.addr);
        assertEq(order.token, address(usdc));
        assertEq(order.destChainId, DEST);
        assertEq(order.tokenB, tokenB);
        assertEq(order.expectedAmountB, EXPECTED);
        assertEq(order.amountPerPeriod, EACH);
        assertEq(order.period, PERIOD);
        assertEq(order.firstAt, block.timestamp);
        assertEq(order.endTime, given.endTime);
        assertEq(order.left, TOTAL);
        assertEq(order.fired, 0);
        assertEq(order.lastFiredAt, 0);
        assertEq(order.quorum, 1);
        assertFalse(order.closed);
        assertEq(vault.nextTrancheAt(ORDER), block.timestamp);
    }

    function test_funding_theFirstTrancheWaitsForTheStart() public {
        OrderTerms memory given = terms();
        given.startTime = block.timestamp + 5_000;
        fundOrder(given, "ciphertext", owner);
        assertEq(vault.getOrder(ORDER).firstAt, block.timestamp + 5_000);
    }

    function test_funding_onceForAll() public {
        funded();
        expectFundingToFail(
            terms(), abi.encodeWithSelector(IOrderVault.OrderExists.selector, ORDER)
        );
        vm.prank(owner.addr);
        vault.closeOrder(ORDER);
        expectFundingToFail(
            terms(), abi.encodeWithSelector(IOrderVault.OrderExists.selector, ORDER)
        );
    }

    function test_attack_aRefusedOrderIsFundedLater() public {
        OrderTerms memory given = terms();
        vm.warp(given.deadline);
        expectFundingToFail(
            given, abi.encodeWithSelector(IOrderVault.RequestLapsed.selector, given.deadline)
        );
        vm.warp(given.deadline - 1);
        fundOrder(given, "ciphertext", owner);
    }

    function test_attack_aRequestThatHardlyLapses() public {
        OrderTerms memory given = terms();
        uint256 latest = given.deadline;
        given.deadline = latest + 1;
        expectFundingToFail(
            given,
            abi.encodeWithSelector(IOrderVault.DeadlineTooFar.selector, given.deadline, latest)
        );
    }

    function test_funding_onlyWhatTheBridgeTakes() public {
        OrderTerms memory given = terms();
        given.token = address(0x1234);
        expectFundingToFail(
            given, abi.encodeWithSelector(IOrderVault.TokenNotListed.selector, given.token)
        );
        given = terms();
        given.destChainId = 5;
        expectFundingToFail(
            given, abi.encodeWithSelector(IOrderVault.DestinationNotListed.selector, 5)
        );
        given = terms();
        given.tokenB = address(0);
        expectFundingToFail(given, abi.encodeWithSelector(IOrderVault.TokenBRequired.selector));
        given = terms();
        given.amountPerPeriod = MIN_ESCROW - 1;
        expectFundingToFail(given, eachOutOfRange(given));
        given = terms();
        given.amountPerPeriod = MAX_ESCROW + 1;
        expectFundingToFail(given, eachOutOfRange(given));
    }

    function eachOutOfRange(OrderTerms memory given) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(
            IOrderVault.AmountPerPeriodOutOfRange.selector,
            given.amountPerPeriod,
            MIN_ESCROW,
            MAX_ESCROW
        );
    }

    function test_funding_amountsAtTheirBounds() public {
        OrderTerms memory given = terms();
        uint256 most = type(uint96).max;
        given.totalAmount = EACH - 1;
        expectFundingToFail(
            given,
            abi.encodeWithSelector(
                IOrderVault.TotalAmountOutOfRange.selector, given.totalAmount, EACH, most
            )
        );
        given.totalAmount = most + 1;
        expectFundingToFail(
            given,
            abi.encodeWithSelector(
                IOrderVault.TotalAmountOutOfRange.selector, given.totalAmount, EACH, most
            )
        );
        given = terms();
        given.expectedAmountB = 0;
        expectFundingToFail(given, expectedOutOfRange(0));
        given.expectedAmountB = most + 1;
        expectFundingToFail(given, expectedOutOfRange(most + 1));
        given.expectedAmountB = most;
        given.totalAmount = most;
        given.amountPerPeriod = MIN_ESCROW;
        usdc.mint(owner.addr, most);
        fundOrder(given, "most", owner);
        given = terms();
        (given.totalAmount, given.amountPerPeriod) = (MAX_ESCROW, MAX_ESCROW);
        given.expectedAmountB = 1;
        fundOrder(given, "one tranche", owner);
    }

    function expectedOutOfRange(uint256 given) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(
            IOrderVault.ExpectedAmountOutOfRange.selector, given, 1, type(uint96).max
        );
    }

    function test_funding_timesAtTheirBounds() public {
        OrderTerms memory given = terms();
        given.period = 4;
        expectFundingToFail(given, periodOutOfRange(4));
        given.period = 2 ** 32;
        expectFundingToFail(given, periodOutOfRange(2 ** 32));
        given = terms();
        given.endTime = given.startTime;
        expectFundingToFail(given, endOutOfRange(given));
        (given.startTime, given.endTime) = (block.timestamp - 10, block.timestamp);
        expectFundingToFail(given, endOutOfRange(given));
        given.endTime = 2 ** 32;
        expectFundingToFail(given, endOutOfRange(given));
        (given.startTime, given.endTime) = (block.timestamp + 5, block.timestamp + 5);
        expectFundingToFail(given, endOutOfRange(given));
        (given.endTime, given.period) = (2 ** 32 - 1, 2 ** 32 - 1);
        fundOrder(given, "longest", owner);
        given.period = 5;
        (given.startTime, given.endTime) = (0, block.timestamp + 1);
        fundOrder(given, "shortest", owner);
    }

    function periodOutOfRange(uint256 period) internal pure returns (bytes memory) {
        return
            abi.encodeWithSelector(
                IOrderVault.PeriodOutOfRange.selector, period, 5, type(uint32).max
            );
    }

    function endOutOfRange(OrderTerms memory given) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(
            IOrderVault.EndTimeOutOfRange.selector, given.endTime, given.startTime, type(uint32).max
        );
    }

    function test_attack_anotherOwnersApproval() public {
        OrderTerms memory given = terms();
        given.owner = stranger.addr;
        expectFundingToFail(
            given, abi.encodeWithSelector(IOrderVault.WrongOwnerSignature.selector, stranger.addr)
        );
    }

    /// @dev All enclaves are broken, and every owner has an open approval.
    function test_attack_enclavesOrderWithoutTheOwner() public {
        bytes memory message = orderMessage(ORDER);
        bytes memory wrong =
            abi.encodeWithSelector(IOrderVault.WrongOwnerSignature.selector, owner.addr);
        bytes memory signature = personalSign(stranger, message);
        fundBy(message, 11, signature, wrong);
        signature = personalSign(owner, "another message");
        fundBy(message, 11, signature, wrong);
        fundBy(message, 11, "", wrong);
        fundBy(message, 11, new bytes(65), wrong);
    }

    /// @dev The owner signed in to some application once, and everybody has that signature.
    function test_attack_anyOtherSignatureOfTheOwner() public {
        bytes memory message = "Welcome! Sign in to example.com, nonce 1234567890abcdef12345678 aa";
        bytes memory signature = personalSign(owner, message);
        fundBy(
            message,
            0,
            signature,
            abi.encodeWithSelector(IOrderVault.DigestNotInMessage.selector, ORDER, 0)
        );
    }

    function test_attack_anotherOrdersMessage() public {
        bytes memory message = orderMessage(keccak256("another order"));
        bytes memory signature = personalSign(owner, message);
        fundBy(
            message,
            11,
            signature,
            abi.encodeWithSelector(IOrderVault.DigestNotInMessage.selector, ORDER, 11)
        );
    }

    function test_attack_digestsOffsetOutOfTheMessage() public {
        bytes memory message = orderMessage(ORDER);
        bytes memory signature = personalSign(owner, message);
        uint256[5] memory offsets =
            [uint256(10), 12, message.length - 63, message.length, type(uint256).max];
        for (uint256 i = 0; i < offsets.length; ++i) {
            fundBy(
                message,
                offsets[i],
                signature,
                abi.encodeWithSelector(IOrderVault.DigestNotInMessage.selector, ORDER, offsets[i])
            );
        }
        signature = personalSign(owner, "short");
        fundBy(
            "short",
            0,
            signature,
            abi.encodeWithSelector(IOrderVault.DigestNotInMessage.selector, ORDER, 0)
        );
    }

    /// @dev Every character but one is right; that one takes all 256 values, in place of an "a", a
    ///      "9" and an "f".
    function test_everyCharacterOfTheDigest() public {
        bytes memory message = orderMessage(ORDER);
        bytes1[3] memory digits = [bytes1("a"), "9", "f"];
        for (uint256 i = 0; i < digits.length; ++i) {
            uint256 at = 11;
            while (message[at] != digits[i]) ++at;
            assertLt(at, 75);
            tryEveryCharacter(message, at);
        }
    }

    function tryEveryCharacter(bytes memory message, uint256 at) internal {
        bytes1 right = message[at];
        for (uint256 c = 0; c < 256; ++c) {
            message[at] = bytes1(uint8(c));
            bytes memory signature = personalSign(owner, message);
            uint256 snapshot = vm.snapshotState();
            bytes memory reason =
                abi.encodeWithSelector(IOrderVault.DigestNotInMessage.selector, ORDER, 11);
            if (lowerCase(bytes1(uint8(c))) == right) reason = "";
            fundBy(message, 11, signature, reason);
            assertTrue(vm.revertToState(snapshot));
        }
        message[at] = right;
    }

    function lowerCase(bytes1 c) internal pure returns (bytes1) {
        return c >= "A" && c <= "F" ? bytes1(uint8(c) + 32) : c;
    }

    /// @dev Whatever the ciphertext and the text around its digest, in either letter case.
    function testFuzz_theMessageNamesTheOrder(
        bytes memory encrypted,
        bytes memory before,
        bytes memory behind,
        uint256 upper
    ) public {
        bytes32 orderId = keccak256(encrypted);
        bytes memory digits = new bytes(64);
        for (uint256 i = 0; i < 64; ++i) {
            uint256 value = (uint256(orderId) >> (252 - 4 * i)) & 15;
            bytes memory alphabet =
                (upper >> i) & 1 == 1 ? bytes("0123456789ABCDEF") : bytes("0123456789abcdef");
            digits[i] = alphabet[value];
        }
        bytes memory message = bytes.concat(before, digits, behind);
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(orderId, terms()));
        bytes memory ownerSignature = personalSign(owner, message);
        vault.fundOrder(
            FundingRequest(terms(), before.length), encrypted, message, ownerSignature, signatures
        );
        assertEq(vault.getOrder(orderId).left, TOTAL);
    }

    function test_smartAccountsOrder() public {
        SmartAccount account = new SmartAccount(owner.addr, usdc, address(vault));
        usdc.mint(address(account), TOTAL);
        OrderTerms memory given = terms();
        given.owner = address(account);
        bytes memory message = orderMessage(ORDER);
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(ORDER, given));
        FundingRequest memory request = FundingRequest(given, 11);
        bytes memory signature = bytes.concat(hex"aa", personalSign(stranger, message));
        vm.expectRevert(
            abi.encodeWithSelector(IOrderVault.WrongOwnerSignature.selector, address(account))
        );
        vault.fundOrder(request, "ciphertext", message, signature, signatures);
        signature = bytes.concat(hex"aa", personalSign(owner, message));
        vault.fundOrder(request, "ciphertext", message, signature, signatures);
        assertEq(vault.getOrder(ORDER).owner, address(account));
    }

    /// @dev EIP-7702: it has code without ERC-1271, and still has its key.
    function test_delegatedAccountsOrderByTheirKey() public {
        vm.etch(owner.addr, hex"00");
        funded();
        assertEq(vault.getOrder(ORDER).owner, owner.addr);
    }

    /// @dev The signature's other form names the same order, which exists already.
    function test_attack_theSignaturesOtherForm() public {
        bytes memory message = orderMessage(ORDER);
        bytes memory signature = personalSign(owner, message);
        fundBy(message, 11, signature);
        fundBy(
            message, 11, signature, abi.encodeWithSelector(IOrderVault.OrderExists.selector, ORDER)
        );
        uint256 s;
        assembly {
            s := mload(add(signature, 64))
            mstore(
                add(signature, 64),
                sub(0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141, s)
            )
        }
        signature[64] = signature[64] == 0x1b ? bytes1(0x1c) : bytes1(0x1b);
        fundBy(
            message, 11, signature, abi.encodeWithSelector(IOrderVault.OrderExists.selector, ORDER)
        );
    }

    function test_attack_notAnEnclavesSignature() public {
        bytes memory message = orderMessage(ORDER);
        bytes memory ownerSignature = personalSign(owner, message);
        bytes[] memory signatures = new bytes[](1);
        signatures[0] = sign(stranger, vault.fundingDigest(ORDER, terms()));
        FundingRequest memory request = FundingRequest(terms(), 11);
        vm.expectRevert(
            abi.encodeWithSelector(IBridgeErrors.AttesterNotActive.selector, stranger.addr)
        );
        vault.fundOrder(request, "ciphertext", message, ownerSignature, signatures);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.WrongSignatureCount.selector, 0, 1));
        vault.fundOrder(request, "ciphertext", message, ownerSignature, new bytes[](0));
    }

    function test_attack_signaturesThatAreNone() public {
        bytes memory message = orderMessage(ORDER);
        bytes memory ownerSignature = personalSign(owner, message);
        FundingRequest memory request = FundingRequest(terms(), 11);
        bytes[] memory signatures = new bytes[](1);
        bytes32 high = bytes32(type(uint256).max);
        bytes[4] memory none = [
            bytes(""),
            new bytes(64),
            new bytes(65),
            abi.encodePacked(bytes32(uint256(1)), high, uint8(27))
        ];
        for (uint256 i = 0; i < none.length; ++i) {
            signatures[0] = none[i];
            vm.expectRevert(
                abi.encodeWithSelector(
                    IBridgeErrors.SignersNotSorted.selector, address(0), address(0)
                )
            );
            vault.fundOrder(request, "ciphertext", message, ownerSignature, signatures);
        }
    }

    function test_attack_otherTermsThanSigned() public {
        bytes memory message = orderMessage(ORDER);
        bytes memory ownerSignature = personalSign(owner, message);
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(ORDER, terms()));
        OrderTerms memory given = terms();
        given.expectedAmountB = 1;
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        vault.fundOrder(
            FundingRequest(given, 11), "ciphertext", message, ownerSignature, signatures
        );
    }

    /// @dev The same addresses exist on every chain; signatures don't carry over.
    function test_attack_theRequestOnAnotherChain() public {
        bytes memory message = orderMessage(ORDER);
        bytes memory ownerSignature = personalSign(owner, message);
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(ORDER, terms()));
        vm.chainId(10);
        vm.expectPartialRevert(IBridgeErrors.AttesterNotActive.selector);
        vault.fundOrder(
            FundingRequest(terms(), 11), "ciphertext", message, ownerSignature, signatures
        );
    }

    function test_theTokensQuorumCountsForTheWholeOrder() public {
        OrderTerms memory given = terms();
        given.token = address(strict);
        bytes memory message = orderMessage(ORDER);
        bytes memory ownerSignature = personalSign(owner, message);
        bytes32 digest = vault.fundingDigest(ORDER, given);
        FundingRequest memory request = FundingRequest(given, 11);
        bytes[] memory one = quorumOf(1, digest);
        vm.expectRevert(abi.encodeWithSelector(IBridgeErrors.WrongSignatureCount.selector, 1, 2));
        vault.fundOrder(request, "ciphertext", message, ownerSignature, one);
        bytes[] memory twice = quorumOf(2, digest);
        twice[1] = twice[0];
        vm.expectPartialRevert(IBridgeErrors.SignersNotSorted.selector);
        vault.fundOrder(request, "ciphertext", message, ownerSignature, twice);
        bytes[] memory two = quorumOf(2, digest);
        vault.fundOrder(request, "ciphertext", message, ownerSignature, two);
        assertEq(vault.getOrder(ORDER).quorum, 2);
    }

    function test_withoutTokensOrApproval() public {
        vm.prank(owner.addr);
        usdc.approve(address(vault), TOTAL - 1);
        expectFundingToFail(
            terms(),
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(vault), TOTAL - 1, TOTAL
            )
        );
        assertEq(vault.getOrder(ORDER).owner, address(0));
    }

    function test_onATestNetworkAnyMessageOrdersOnce() public {
        vm.chainId(TESTNET);
        bytes memory message = "yes";
        bytes memory signature = personalSign(owner, message);
        fundBy(message, 0, signature);
        bytes32 other = keccak256("another ciphertext");
        bytes[] memory signatures = quorumOf(1, vault.fundingDigest(other, terms()));
        FundingRequest memory request = FundingRequest(terms(), 0);
        vm.expectRevert(
            abi.encodeWithSelector(
                IOrderVault.MessageAlreadyUsed.selector, owner.addr, keccak256(message)
            )
        );
        vault.fundOrder(request, "another ciphertext", message, signature, signatures);
        request.terms.owner = stranger.addr;
        signatures = quorumOf(1, vault.fundingDigest(other, request.terms));
        vm.expectRevert(
            abi.encodeWithSelector(IOrderVault.WrongOwnerSignature.selector, stranger.addr)
        );
        vault.fundOrder(request, "another ciphertext", message, signature, signatures);
        signature = personalSign(stranger, message);
        vault.fundOrder(request, "another ciphertext", message, signature, signatures);
    }
}
