// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title The part of EIP-3009 that lets a receiver collect what a payer has authorised
interface IReceiveWithAuthorization {
    /// @notice Move `value` from `from` to the caller, which must be `to`.
    /// @param nonce Any value that `from` hasn't used with this token.
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
    ) external;

    /// @notice The same for signatures of any length: smart accounts (USDC 2.2).
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}
