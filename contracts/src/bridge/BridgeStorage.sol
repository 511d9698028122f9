// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Phase} from "../interfaces/BridgeTypes.sol";

/// @title The storage that enclaves prove
/// @notice Enclaves prove these variables slot by slot, so their places are part of the protocol:
///         this is the first base of the bridge, and the order below is final.
abstract contract BridgeStorage {
    /// @dev Three slots at creation (four with a blob), one more at the first bid. Amounts have 96
    ///      bits, 79 billion whole tokens of 18 decimals; times have 32.
    struct Record {
        // What goes back to the sender: amountA + reward.
        uint96 escrow;
        uint32 auctionDuration;
        uint32 endTime;
        // 0 until somebody deposits.
        uint32 fillDeadline;
        uint16 tokenIndex;
        uint8 destinationIndex;
        Phase phase;
        // 0 until anchored, 1 for 250 bps, 2 for 700.
        uint8 feeTier;
        // The recipient class is 2 to this power.
        uint8 classLog2;
        uint8 quorum;
        uint8 flags;
        // slot
        address sender;
        uint96 reward;
        // slot
        address tokenB;
        uint96 expectedAmountB;
        // slot, from the first bid
        address solver;
        uint96 amountB;
        // slot, from the first blob
        bytes32 blobsHash;
    }

    /// @dev A point of secp256k1, set once.
    struct SealingKey {
        uint256 x;
        uint256 y;
    }

    /// @dev Number and block time of a delivery, never cleared.
    struct Delivered {
        uint64 sequence;
        uint64 solvedAt;
    }

    uint8 internal constant BLOB_AT_CREATION = 1;
    uint8 internal constant NAMED = 2;
    uint8 internal constant ASKED = 4;
    uint8 internal constant REVEALED = 8;

    /// @dev Slot 0.
    mapping(uint256 intentId => Record) internal _records;
    /// @dev Slot 1.
    mapping(address solver => SealingKey) internal _sealingKeys;
    /// @dev Slot 2.
    mapping(bytes32 key => Delivered) internal _deliveries;
    /// @dev Slot 3. Every token that was ever listed, under an index that is never used again.
    address[] internal _tokens;
    /// @dev Slot 4. The same for destination chains.
    uint256[] internal _destinations;

    // Not proven.
    uint64 internal _sequence;
    uint64 internal _deliverySequence;
    /// @notice Whether the creation of intents is paused.
    bool public creationPaused;

    /// @dev Skips the bounds check and its slot: an intent's index comes from the list.
    function _tokenAt(uint16 index) internal view returns (address token) {
        assembly ("memory-safe") {
            mstore(0, _tokens.slot)
            token := sload(add(keccak256(0, 0x20), index))
        }
    }

    /// @dev As `_tokenAt`.
    function _destinationAt(uint8 index) internal view returns (uint256 destChainId) {
        assembly ("memory-safe") {
            mstore(0, _destinations.slot)
            destChainId := sload(add(keccak256(0, 0x20), index))
        }
    }
}
