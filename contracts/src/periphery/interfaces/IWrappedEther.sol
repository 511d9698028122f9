// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title Wrapped ether
interface IWrappedEther {
    /// @notice Wrap the ether that is sent along.
    function deposit() external payable;
}
