// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The part of Ethereum's curve that sealing keys need
library Secp256k1 {
    /// @dev The field's prime.
    uint256 private constant P = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F;

    /// @notice Whether (x, y) is a point of `y² = x³ + 7`, in lowest terms. The group has prime
    ///         order, so every such point is a possible key.
    /// @param x First coordinate.
    /// @param y Second coordinate; never 0 on this curve.
    /// @return True if it is.
    function isOnCurve(uint256 x, uint256 y) internal pure returns (bool) {
        if (x >= P || y >= P) return false;
        return mulmod(y, y, P) == addmod(mulmod(mulmod(x, x, P), x, P), 7, P);
    }
}
