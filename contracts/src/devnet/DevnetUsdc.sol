// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevnetToken} from "./DevnetToken.sol";

/// @title USDC of a development network: 6 decimals and a blacklist
/// @notice Like the real one it refuses transfers from, to and by a blacklisted account.
contract DevnetUsdc is DevnetToken {
    /// @notice Whether an account is blacklisted.
    mapping(address account => bool) public isBlacklisted;

    /// @notice An account was blacklisted.
    event Blacklisted(address indexed account);
    /// @notice An account was taken off the blacklist.
    event UnBlacklisted(address indexed account);

    constructor() DevnetToken("USD Coin", "USDC", 6) {}

    /// @notice Blacklist an account. Open to all: this is play money.
    /// @param account The account.
    function blacklist(address account) external {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    /// @notice Take an account off the blacklist.
    /// @param account The account.
    function unBlacklist(address account) external {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(
            !isBlacklisted[from] && !isBlacklisted[to] && !isBlacklisted[msg.sender],
            "Blacklistable: account is blacklisted"
        );
        super._update(from, to, amount);
    }
}
