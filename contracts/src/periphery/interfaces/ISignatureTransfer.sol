// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title The part of Permit2 that moves tokens by one signature
/// @notice Permit2 is at 0x000000000022D473030F116dDEE9F6B43aC78BA3 on nearly every chain.
interface ISignatureTransfer {
    /// @notice The token and amount that may be moved.
    struct TokenPermissions {
        address token;
        /// Base units, the most that may be moved.
        uint256 amount;
    }

    /// @notice What the owner signs, in addition to the spender and the witness.
    struct PermitTransferFrom {
        TokenPermissions permitted;
        /// Unordered; each can be used once.
        uint256 nonce;
        /// Unix seconds, inclusive.
        uint256 deadline;
    }

    /// @notice The spender's request.
    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    /// @notice Move tokens of `owner`, who signed the permit and the witness for the caller.
    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}
