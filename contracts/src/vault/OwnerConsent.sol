// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevelopmentChains} from "../attestation/DevelopmentChains.sol";
import {VaultPayouts} from "./VaultPayouts.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title An owner's consent to an order
/// @notice The vault itself checks that the owner signed a message that names this order, so
///         breaking an enclave gives no access to allowances.
abstract contract OwnerConsent is VaultPayouts {
    uint256 private constant DIGITS = 64;

    /// @dev Reverts unless `owner` signed a message that names the order; on test networks, any
    ///      message that it hasn't used for an order before.
    function _checkConsent(
        address owner,
        bytes32 orderId,
        uint256 digestOffset,
        bytes calldata message,
        bytes calldata signature
    ) internal {
        if (DevelopmentChains.includes(block.chainid)) {
            _useMessage(owner, keccak256(message));
        } else if (!_contains(message, digestOffset, orderId)) {
            revert DigestNotInMessage(orderId, digestOffset);
        }
        if (!_hasSigned(owner, MessageHashUtils.toEthSignedMessageHash(message), signature)) {
            revert WrongOwnerSignature(owner);
        }
    }

    function _useMessage(address owner, bytes32 messageHash) private {
        bytes32 key = keccak256(abi.encode(owner, messageHash));
        if (_usedMessages[key]) revert MessageAlreadyUsed(owner, messageHash);
        _usedMessages[key] = true;
    }

    /// @dev Tries the key first: an account with delegated code (EIP-7702) still has its key.
    function _hasSigned(address owner, bytes32 digest, bytes calldata signature)
        private
        view
        returns (bool)
    {
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecover(digest, signature);
        if (failure == ECDSA.RecoverError.NoError && signer == owner) return true;
        return SignatureChecker.isValidERC1271SignatureNow(owner, digest, signature);
    }

    /// @dev Whether the hex digits of `digest`, in either case, are at `offset` of `message`.
    function _contains(bytes calldata message, uint256 offset, bytes32 digest)
        private
        pure
        returns (bool)
    {
        if (message.length < DIGITS || offset > message.length - DIGITS) return false;
        uint256 found;
        for (uint256 i = offset; i < offset + DIGITS; ++i) {
            uint256 value = _valueOf(uint8(message[i]));
            if (value > 15) return false;
            found = (found << 4) | value;
        }
        return bytes32(found) == digest;
    }

    /// @dev A hex digit's value; above 15 if it isn't one.
    function _valueOf(uint256 character) private pure returns (uint256) {
        if (character >= 0x30 && character <= 0x39) return character - 0x30;
        // Upper and lower case differ in this bit.
        uint256 letter = character | 0x20;
        if (letter >= 0x61 && letter <= 0x66) return letter - 0x61 + 10;
        return type(uint256).max;
    }
}
