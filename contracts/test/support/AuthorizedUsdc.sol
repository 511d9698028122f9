// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetUsdc} from "../../src/devnet/DevnetUsdc.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @notice USDC with EIP-3009 as version 2.2 of the real one has it, in our own words.
contract AuthorizedUsdc is DevnetUsdc, EIP712("USD Coin", "2") {
    bytes32 public constant RECEIVE_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes memory signature = abi.encodePacked(r, s, v);
        _receive(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external {
        _receive(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function receiveDigest(
        address from,
        address to,
        uint256 value,
        uint256 validBefore,
        bytes32 nonce
    ) external view returns (bytes32) {
        return _digest(from, to, value, 0, validBefore, nonce);
    }

    function _receive(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) private {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        require(!authorizationState[from][nonce], "FiatTokenV2: authorization is used or canceled");
        bytes32 digest = _digest(from, to, value, validAfter, validBefore, nonce);
        require(
            SignatureChecker.isValidSignatureNow(from, digest, signature),
            "FiatTokenV2: invalid signature"
        );
        authorizationState[from][nonce] = true;
        _transfer(from, to, value);
    }

    function _digest(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce
    ) private view returns (bytes32) {
        return _hashTypedDataV4(
            keccak256(abi.encode(RECEIVE_TYPEHASH, from, to, value, validAfter, validBefore, nonce))
        );
    }
}

/// @notice Wrapped ether as on most chains: whatever function is called that it doesn't have, it
///         wraps the ether that came along, none, and says nothing.
contract SilentToken is DevnetUsdc {
    fallback() external {}
}
