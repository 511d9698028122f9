// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A plain token of a development network
/// @notice Anyone may mint. Used for ZEN (18 decimals) and cBTC (8).
contract DevnetToken is ERC20 {
    uint8 private immutable DECIMALS;

    /// @param name_ Token name.
    /// @param symbol_ Token symbol.
    /// @param decimals_ Decimals.
    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        DECIMALS = decimals_;
    }

    /// @notice Create tokens. Open to all: this is play money.
    /// @param to Who gets them.
    /// @param amount Base units.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Decimals of the token.
    /// @return As constructed.
    function decimals() public view override returns (uint8) {
        return DECIMALS;
    }
}
