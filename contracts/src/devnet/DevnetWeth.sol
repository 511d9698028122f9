// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetToken} from "./DevnetToken.sol";

/// @title Wrapped ether of a development network
/// @notice WETH9's deposit and withdraw, plus open minting; minted units are not backed.
contract DevnetWeth is DevnetToken {
    /// @notice Ether was wrapped.
    event Deposit(address indexed account, uint256 amount);
    /// @notice Ether was unwrapped.
    event Withdrawal(address indexed account, uint256 amount);

    /// @notice Sending the ether failed.
    error EtherRefused(address account);

    constructor() DevnetToken("Wrapped Ether", "WETH", 18) {}

    /// @notice Wrap what is sent.
    receive() external payable {
        deposit();
    }

    /// @notice Unwrap.
    /// @param amount Wei.
    function withdraw(uint256 amount) external {
        _burn(msg.sender, amount);
        emit Withdrawal(msg.sender, amount);
        (bool sent,) = msg.sender.call{value: amount}("");
        if (!sent) revert EtherRefused(msg.sender);
    }

    /// @notice Wrap what is sent.
    function deposit() public payable {
        _mint(msg.sender, msg.value);
        emit Deposit(msg.sender, msg.value);
    }
}
