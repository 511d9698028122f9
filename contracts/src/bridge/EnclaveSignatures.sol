// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEnclaveKeyRegistry} from "../interfaces/IEnclaveKeyRegistry.sol";
import {EnclaveQuorum} from "./EnclaveQuorum.sol";
import {IntentBook} from "./IntentBook.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

/// @title The enclave signatures that anchor, reveal and settle
/// @notice EIP-712 signatures for this contract on this chain by registered keys: one where only
///         blobs and the fee tier are at stake, the intent's quorum where escrow moves.
abstract contract EnclaveSignatures is IntentBook {
    bytes32 private constant DOMAIN_TYPEHASH = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    bytes32 private constant NAME_HASH = keccak256("BridgeIntentV2");
    bytes32 private constant VERSION_HASH = keccak256("1");
    bytes32 internal constant ANCHOR_TYPEHASH = keccak256(
        "Anchor(uint256 intentId,bytes32 paramsHash,bytes32 blobsHashBefore,uint16 feeBps,uint16 recipientClass,bytes32 blobHash)"
    );
    bytes32 internal constant APPEND_TYPEHASH = keccak256(
        "Append(uint256 intentId,bytes32 paramsHash,bytes32 blobsHashBefore,bytes32 blobHash)"
    );
    bytes32 internal constant REVEAL_TYPEHASH = keccak256(
        "Reveal(uint256 intentId,bytes32 paramsHash,bytes32 blobsHash,address solver,uint256 amountB,bytes32 sealedHash)"
    );
    bytes32 internal constant SETTLEMENT_TYPEHASH = keccak256(
        "Settlement(uint256 intentId,bytes32 paramsHash,bytes32 blobsHash,address solver,uint256 amountB,uint256 chain2IntentId)"
    );
    bytes32 internal constant NOT_DELIVERED_TYPEHASH = keccak256(
        "NotDelivered(uint256 intentId,bytes32 paramsHash,bytes32 blobsHash,address solver,uint256 amountB,uint256 fillDeadline)"
    );

    /// @notice The registry of enclave keys. Fixed for the life of the bridge.
    IEnclaveKeyRegistry public immutable REGISTRY;

    constructor(address registry) {
        if (registry == address(0)) revert ZeroAddress();
        REGISTRY = IEnclaveKeyRegistry(registry);
    }

    /// @dev EIP-712 digest, for this contract on this chain, of an encoded struct (type hash
    ///      included).
    function _digest(bytes memory encoded) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, address(this))
        );
        return MessageHashUtils.toTypedDataHash(domain, keccak256(encoded));
    }

    /// @dev Reverts unless an active enclave key signed.
    function _checkSigner(bytes32 digest, bytes calldata signature) internal view {
        (address signer,,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (!REGISTRY.isActive(signer)) revert AttesterNotActive(signer);
    }

    /// @dev Reverts unless a deposited intent's quorum signed. Returns the first signer.
    function _checkQuorum(Record storage intent, bytes32 digest, bytes[] calldata signatures)
        internal
        view
        returns (address)
    {
        return
            EnclaveQuorum.check(REGISTRY, digest, signatures, intent.quorum, _depositTime(intent));
    }

    /// @dev Unix seconds at which a deposited intent was picked up.
    function _depositTime(Record storage intent) internal view returns (uint256) {
        return intent.fillDeadline - EXECUTION_WINDOW;
    }
}
