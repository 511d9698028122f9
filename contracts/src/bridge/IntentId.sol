// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Ids that are unique across all chains
/// @notice `(chainId << 64) | sequence`, for intents and for deliveries alike.
library IntentId {
    /// @notice The id of a chain's `sequence`-th intent or delivery.
    /// @param chainId The chain.
    /// @param sequence Starts at 1.
    /// @return The packed id.
    function pack(uint256 chainId, uint64 sequence) internal pure returns (uint256) {
        return (chainId << 64) | sequence;
    }

    /// @notice The chain that issued an id.
    /// @param id A packed id.
    /// @return The chain.
    function chainOf(uint256 id) internal pure returns (uint256) {
        return id >> 64;
    }
}
