// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title The terms that the bridge accepts now
interface IBridgeListings {
    /// @notice Shortest auction, in seconds.
    function MIN_AUCTION_DURATION() external view returns (uint32);

    /// @notice Whether a token may be offered, with which range of escrow and how many signatures.
    function tokenListing(address token)
        external
        view
        returns (bool listed, uint256 minEscrow, uint256 maxEscrow, uint8 quorum);

    /// @notice Whether a chain may be the destination of new intents.
    function isDestinationListed(uint256 destChainId) external view returns (bool);
}
