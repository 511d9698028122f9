// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The storage that enclaves prove
/// @notice Enclaves prove an order slot by slot, so its place is part of the protocol: this is the
///         first base of the vault, and the sequence below is final.
abstract contract VaultStorage {
    enum Stage {
        None,
        Open,
        Closed
    }

    /// @dev Low bits first in each slot. A tranche writes only the first slot.
    struct Record {
        uint96 left;
        // Number of the next tranche.
        uint32 fired;
        uint32 lastFiredAt;
        uint32 firstAt;
        uint32 endTime;
        uint8 quorum;
        Stage stage;
        // slot
        address owner;
        uint96 amountPerPeriod;
        // slot
        address token;
        uint32 period;
        uint64 destChainId;
        // slot
        address tokenB;
        uint96 expectedAmountB;
    }

    /// @dev Slot 0.
    mapping(bytes32 orderId => Record) internal _orders;
    /// @dev Slot 1.
    mapping(address owner => mapping(address token => uint256)) internal _credits;
    /// @dev Slot 2. Used on test networks only.
    mapping(bytes32 ownerAndMessage => bool) internal _usedMessages;
}
