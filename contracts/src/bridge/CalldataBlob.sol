// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The recovery blob that may follow createIntent's arguments
/// @notice The seven-argument call has no room for a blob, so it is read from trailing calldata at
///         a fixed offset. Wallets append suffixes of their own; whatever follows the blob is
///         ignored, and so is anything that doesn't start with the version byte.
library CalldataBlob {
    /// @dev Selector and seven words.
    uint256 internal constant OFFSET = 4 + 7 * 32;
    /// @dev Version byte included.
    uint256 internal constant LENGTH = 512;
    /// @dev First byte of every blob.
    bytes1 internal constant VERSION = 0x01;

    /// @notice The current call's blob.
    /// @return blob 512 bytes that start with the version byte, or empty.
    function read() internal pure returns (bytes calldata blob) {
        bool present = msg.data.length >= OFFSET + LENGTH && msg.data[OFFSET] == VERSION;
        return present ? msg.data[OFFSET:OFFSET + LENGTH] : msg.data[0:0];
    }
}
