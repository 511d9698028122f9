// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title USDT of a development network: 6 decimals and no return values
/// @notice As with the real one, transfer, transferFrom and approve return nothing, and an
///         allowance has to be set to zero before it can be changed.
contract DevnetUsdt {
    /// @notice Token name.
    string public constant name = "Tether USD";
    /// @notice Token symbol.
    string public constant symbol = "USDT";
    /// @notice Decimals.
    uint8 public constant decimals = 6;

    /// @notice Base units in existence.
    uint256 public totalSupply;
    /// @notice Base units of an account.
    mapping(address account => uint256) public balanceOf;
    /// @notice Base units that `spender` may move for `owner`.
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    /// @notice Tokens moved.
    event Transfer(address indexed from, address indexed to, uint256 value);
    /// @notice An allowance was set.
    event Approval(address indexed owner, address indexed spender, uint256 value);

    /// @notice Create tokens. Open to all: this is play money.
    /// @param to Who gets them.
    /// @param value Base units.
    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// @notice Move tokens of the caller.
    /// @param to Who gets them.
    /// @param value Base units.
    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    /// @notice Move tokens by allowance.
    /// @param from Whose they are.
    /// @param to Who gets them.
    /// @param value Base units.
    function transferFrom(address from, address to, uint256 value) external {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _move(from, to, value);
    }

    /// @notice Set an allowance; from one amount to another only by way of zero.
    /// @param spender Who may spend.
    /// @param value Base units.
    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0, "USDT: set it to zero first");
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function _move(address from, address to, uint256 value) private {
        require(to != address(0), "USDT: transfer to the zero address");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
