// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The recovery blob that may follow createIntent's arguments
/// @notice The seven-argument call has no room for a blob, so it is read from trailing calldata at
///         a fixed offset: the version byte, a byte that counts the blob's units of 512 bytes, the
///         rest. Wallets append suffixes of their own, so anything after the blob is ignored, and
///         so is anything that doesn't start like one.
library CalldataBlob {
    /// @dev Selector and seven words.
    uint256 internal constant OFFSET = 4 + 7 * 32;
    /// @dev Bytes of a unit, version and count included.
    uint256 internal constant UNIT = 512;
    uint256 internal constant MAX_UNITS = 32;
    /// @dev First byte of every blob.
    bytes1 internal constant VERSION = 0x01;

    /// @notice The current call's blob.
    /// @return blob 1 to 32 units, or empty.
    function read() internal pure returns (bytes calldata blob) {
        if (msg.data.length < OFFSET + UNIT || msg.data[OFFSET] != VERSION) return msg.data[0:0];
        uint256 units = uint8(msg.data[OFFSET + 1]);
        uint256 end = OFFSET + units * UNIT;
        if (units == 0 || units > MAX_UNITS || msg.data.length < end) return msg.data[0:0];
        return msg.data[OFFSET:end];
    }
}
