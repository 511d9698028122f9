// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {IReceiveWithAuthorization} from "./interfaces/IReceiveWithAuthorization.sol";
import {ISignatureTransfer} from "./interfaces/ISignatureTransfer.sol";
import {IWrappedEther} from "./interfaces/IWrappedEther.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @notice The seven arguments of `createIntent`.
struct IntentTerms {
    address tokenA;
    address tokenB;
    /// Base units of tokenA.
    uint256 amountA;
    /// Base units of tokenB.
    uint256 expectedAmountB;
    /// Base units of tokenA.
    uint256 reward;
    uint256 destChainId;
    /// Seconds.
    uint256 auctionDuration;
}

/// @notice What a user agrees to, in addition to the bridge, the chain and the blob.
struct Creation {
    /// The sender of the intent.
    address user;
    IntentTerms terms;
    /// Makes the agreement unique: Permit2's nonce.
    bytes32 salt;
    /// Unix seconds; valid while block time < deadline.
    uint256 deadline;
}

/// @title Intents by one signature, and from ether
/// @notice A user signs once and anyone may send it: the user needs neither gas nor an approval of
///         the bridge. The signature covers everything, the encrypted blob included, so the
///         submitter can't change anything, least of all the recipients.
/// @dev Holds tokens only within a call. Any others were sent here by mistake.
contract CreationGateway is EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @notice EIP-712 type of what a user agrees to.
    bytes32 public constant CREATE_INTENT_TYPEHASH = keccak256(
        "CreateIntent(address bridge,uint256 chainId,address user,address tokenA,address tokenB,uint256 amountA,uint256 expectedAmountB,uint256 reward,uint256 destChainId,uint256 auctionDuration,bytes32 salt,uint256 deadline,bytes32 blobHash)"
    );

    /// @notice That type, as Permit2 expects it.
    string public constant WITNESS_TYPE =
        "CreateIntent witness)CreateIntent(address bridge,uint256 chainId,address user,address tokenA,address tokenB,uint256 amountA,uint256 expectedAmountB,uint256 reward,uint256 destChainId,uint256 auctionDuration,bytes32 salt,uint256 deadline,bytes32 blobHash)TokenPermissions(address token,uint256 amount)";

    /// @notice The bridge in which intents are created.
    IBridgeIntentV2 public immutable BRIDGE;
    /// @notice Permit2, zero where the chain has none.
    ISignatureTransfer public immutable PERMIT2;
    /// @notice Wrapped ether, zero where the chain has none.
    address public immutable WETH;

    /// @notice The bridge is the zero address.
    error ZeroAddress();
    /// @notice The signature was good while block time < deadline.
    error DeadlinePassed(uint256 deadline);
    /// @notice The token delivered less than it was asked to move.
    error TransferShort(address token, uint256 expected, uint256 received);
    /// @notice The ether sent isn't equal to the escrow.
    error WrongValue(uint256 sent, uint256 needed);
    /// @notice Ether becomes WETH, so the token must be WETH.
    error NotWrappedEther(address token, address weth);

    /// @param bridge The bridge, which has this contract on its periphery list.
    /// @param permit2 Permit2 of this chain, or zero.
    /// @param weth Wrapped ether of this chain, or zero.
    constructor(IBridgeIntentV2 bridge, ISignatureTransfer permit2, address weth)
        EIP712("CreationGateway", "1")
    {
        if (address(bridge) == address(0)) revert ZeroAddress();
        BRIDGE = bridge;
        PERMIT2 = permit2;
        WETH = weth;
    }

    /// @notice Create an intent that its user signed as the witness of a Permit2 transfer to this
    ///         contract, of `amountA + reward` of `tokenA`, with `salt` as nonce and `deadline`.
    /// @param creation What the user agreed to; it has approved Permit2.
    /// @param encryptedBlob The blob whose hash was signed, or empty.
    /// @param signature The user's, in any form that Permit2 accepts.
    /// @return intentId The intent.
    function createByPermit2(
        Creation calldata creation,
        bytes calldata encryptedBlob,
        bytes calldata signature
    ) external nonReentrant returns (uint256 intentId) {
        address token = creation.terms.tokenA;
        uint256 escrow = _escrowInTime(creation);
        uint256 before = _balance(token);
        PERMIT2.permitWitnessTransferFrom(
            ISignatureTransfer.PermitTransferFrom({
                permitted: ISignatureTransfer.TokenPermissions(token, escrow),
                nonce: uint256(creation.salt),
                deadline: creation.deadline
            }),
            ISignatureTransfer.SignatureTransferDetails(address(this), escrow),
            creation.user,
            _structHash(creation, encryptedBlob),
            WITNESS_TYPE,
            signature
        );
        _requireReceived(token, before, escrow);
        return _create(creation.user, creation.terms, escrow, encryptedBlob);
    }

    /// @notice Create an intent that its user signed as EIP-3009's ReceiveWithAuthorization to this
    ///         contract, of `amountA + reward`, valid from 0 to `deadline`, with
    ///         `creationDigest(…)` as nonce.
    /// @param creation What the user agreed to.
    /// @param encryptedBlob The blob whose hash was signed, or empty.
    /// @param signature The user's: 65 bytes `r ‖ s ‖ v`, or any length that the token accepts.
    /// @return intentId The intent.
    function createByAuthorization(
        Creation calldata creation,
        bytes calldata encryptedBlob,
        bytes calldata signature
    ) external nonReentrant returns (uint256 intentId) {
        address token = creation.terms.tokenA;
        uint256 escrow = _escrowInTime(creation);
        uint256 before = _balance(token);
        _receive(creation, escrow, creationDigest(creation, encryptedBlob), signature);
        // Wrapped ether, for one, accepts calls of functions it doesn't have and does nothing.
        _requireReceived(token, before, escrow);
        return _create(creation.user, creation.terms, escrow, encryptedBlob);
    }

    /// @notice Create an intent from the ether sent along, with the caller as its sender. A refund
    ///         is paid in WETH.
    /// @param terms The terms; `tokenA` must be WETH, and `amountA + reward` the ether sent.
    /// @param encryptedBlob The recovery blob, or empty.
    /// @return intentId The intent.
    function createWithEther(IntentTerms calldata terms, bytes calldata encryptedBlob)
        external
        payable
        nonReentrant
        returns (uint256 intentId)
    {
        if (terms.tokenA != WETH) revert NotWrappedEther(terms.tokenA, WETH);
        uint256 escrow = terms.amountA + terms.reward;
        if (msg.value != escrow) revert WrongValue(msg.value, escrow);
        IWrappedEther(WETH).deposit{value: escrow}();
        return _create(msg.sender, terms, escrow, encryptedBlob);
    }

    /// @notice What a user agrees to, for this contract on this chain: EIP-3009's nonce.
    /// @param creation The user's agreement.
    /// @param encryptedBlob The recovery blob, or empty.
    /// @return EIP-712 digest of `CreateIntent`.
    function creationDigest(Creation calldata creation, bytes calldata encryptedBlob)
        public
        view
        returns (bytes32)
    {
        return _hashTypedDataV4(_structHash(creation, encryptedBlob));
    }

    function _escrowInTime(Creation calldata creation) private view returns (uint256) {
        if (block.timestamp >= creation.deadline) revert DeadlinePassed(creation.deadline);
        return creation.terms.amountA + creation.terms.reward;
    }

    function _receive(
        Creation calldata creation,
        uint256 escrow,
        bytes32 nonce,
        bytes calldata signature
    ) private {
        IReceiveWithAuthorization token = IReceiveWithAuthorization(creation.terms.tokenA);
        (address user, uint256 deadline) = (creation.user, creation.deadline);
        if (signature.length != 65) {
            token.receiveWithAuthorization(
                user, address(this), escrow, 0, deadline, nonce, signature
            );
            return;
        }
        bytes32 r = bytes32(signature[:32]);
        bytes32 s = bytes32(signature[32:64]);
        uint8 v = uint8(signature[64]);
        token.receiveWithAuthorization(user, address(this), escrow, 0, deadline, nonce, v, r, s);
    }

    function _balance(address token) private view returns (uint256) {
        return IERC20(token).balanceOf(address(this));
    }

    function _requireReceived(address token, uint256 before, uint256 escrow) private view {
        uint256 received = _balance(token) - before;
        if (received < escrow) revert TransferShort(token, escrow, received);
    }

    /// @dev The allowance outlives the call, safely: between calls the gateway owns nothing.
    function _create(
        address user,
        IntentTerms calldata terms,
        uint256 escrow,
        bytes calldata encryptedBlob
    ) private returns (uint256) {
        IERC20 token = IERC20(terms.tokenA);
        if (token.allowance(address(this), address(BRIDGE)) < escrow) {
            token.forceApprove(address(BRIDGE), type(uint256).max);
        }
        return BRIDGE.createIntentFor(
            user,
            terms.tokenA,
            terms.tokenB,
            terms.amountA,
            terms.expectedAmountB,
            terms.reward,
            terms.destChainId,
            terms.auctionDuration,
            encryptedBlob
        );
    }

    function _structHash(Creation calldata creation, bytes calldata encryptedBlob)
        private
        view
        returns (bytes32)
    {
        // Every member has 32 bytes, so a nested struct is encoded as its members would be.
        return keccak256(
            abi.encode(
                CREATE_INTENT_TYPEHASH, BRIDGE, block.chainid, creation, keccak256(encryptedBlob)
            )
        );
    }
}
