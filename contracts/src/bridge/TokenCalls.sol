// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Calls of tokens that may be hostile
/// @notice Written in assembly, because the compiler's own calls cost several hundred gas more
///         each, and a delivery makes up to 600; and because return data of any length must do no
///         harm: at most one word of it is copied.
library TokenCalls {
    /// @notice An account's balance.
    /// @param token The token.
    /// @param account The account.
    /// @return answered Whether the token answered with at least one word.
    /// @return amount Base units.
    function balanceOf(address token, address account)
        internal
        view
        returns (bool answered, uint256 amount)
    {
        assembly ("memory-safe") {
            mstore(0, shl(224, 0x70a08231))
            mstore(4, account)
            answered := staticcall(gas(), token, 0, 0x24, 0, 0x20)
            answered := and(answered, gt(returndatasize(), 0x1f))
            amount := mload(0)
        }
    }

    /// @notice `transfer(to, amount)`.
    /// @param token The token.
    /// @param to Who gets it.
    /// @param amount Base units.
    /// @param gasForToken Most gas that the token gets.
    /// @return Whether the token did it: see `_call`.
    function tryTransfer(address token, address to, uint256 amount, uint256 gasForToken)
        internal
        returns (bool)
    {
        uint256 data;
        assembly ("memory-safe") {
            data := mload(0x40)
            mstore(data, shl(224, 0xa9059cbb))
            mstore(add(data, 0x04), to)
            mstore(add(data, 0x24), amount)
        }
        return _call(token, data, 0x44, gasForToken);
    }

    /// @notice `transferFrom(caller, to, amount)`, where the caller is this contract's.
    /// @param token The token.
    /// @param to Who gets it.
    /// @param amount Base units.
    /// @param gasForToken Most gas that the token gets.
    /// @return Whether the token did it: see `_call`.
    function tryTransferFromCaller(address token, address to, uint256 amount, uint256 gasForToken)
        internal
        returns (bool)
    {
        uint256 data;
        assembly ("memory-safe") {
            data := mload(0x40)
            mstore(data, shl(224, 0x23b872dd))
            mstore(add(data, 0x04), caller())
            mstore(add(data, 0x24), to)
            mstore(add(data, 0x44), amount)
        }
        return _call(token, data, 0x64, gasForToken);
    }

    /// @dev True if the call succeeded and returned nothing or `true`, and there was code to call.
    function _call(address token, uint256 data, uint256 length, uint256 gasForToken)
        private
        returns (bool done)
    {
        assembly ("memory-safe") {
            mstore(0, 0)
            let succeeded := call(gasForToken, token, 0, data, length, 0, 0x20)
            switch returndatasize()
            case 0 { done := and(succeeded, gt(extcodesize(token), 0)) }
            default { done := and(succeeded, and(gt(returndatasize(), 0x1f), eq(mload(0), 1))) }
        }
    }
}
