// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOrderVault} from "../interfaces/IOrderVault.sol";
import {VaultStorage} from "./VaultStorage.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title Moving owners' tokens in and out of the vault
/// @notice They are pulled in, and measured. They are pushed back; a push that the token refuses
///         becomes a credit, so no owner and no token can keep an order from ending.
abstract contract VaultPayouts is VaultStorage, IOrderVault {
    using SafeERC20 for IERC20;

    /// @notice Gas that a push hands to the token, as in the bridge.
    uint256 public constant PUSH_GAS = 300_000;

    /// @dev Gas that must be left before a push: 64/63 of PUSH_GAS (a call can hand on at most
    ///      63/64 of what is left), and enough to record a credit afterwards.
    uint256 internal constant PUSH_GAS_REQUIRED = PUSH_GAS + PUSH_GAS / 63 + 60_000;

    /// @inheritdoc IOrderVault
    function claimable(address owner, address token) external view returns (uint256) {
        return _credits[owner][token];
    }

    /// @dev Moves `amount` from an owner, who has agreed to it, to this contract, or reverts.
    function _pullFrom(address owner, address token, uint256 amount) internal {
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(owner, address(this), amount);
        uint256 received = IERC20(token).balanceOf(address(this)) - before;
        if (received < amount) revert TransferShort(token, amount, received);
    }

    /// @dev Pays `amount` to `to`, or credits it. Reverts only for lack of gas: otherwise a caller
    ///      could turn a payment into a credit by sending too little gas.
    function _push(address token, address to, uint256 amount) internal {
        uint256 available = gasleft();
        if (available < PUSH_GAS_REQUIRED) revert InsufficientGas(available, PUSH_GAS_REQUIRED);
        if (_tryTransfer(token, to, amount)) return;
        _credits[to][token] += amount;
        emit CreditAdded(to, token, amount);
    }

    /// @dev Pays the caller's whole credit to `to`; if the token refuses, the credit stays.
    function _claim(address token, address to) internal {
        if (to == address(0) || to == address(this)) revert InvalidReceiver(to);
        uint256 amount = _credits[msg.sender][token];
        if (amount == 0) revert NothingOwed(msg.sender, token);
        delete _credits[msg.sender][token];
        emit CreditClaimed(msg.sender, token, amount);
        IERC20(token).safeTransfer(to, amount);
    }

    /// @dev ERC-20 transfer with bounded gas that copies one word of return data at most. True if
    ///      the call succeeded and returned nothing or `true`, and there was code to call.
    function _tryTransfer(address token, address to, uint256 amount) private returns (bool done) {
        bytes memory data = abi.encodeCall(IERC20.transfer, (to, amount));
        uint256 gasForToken = PUSH_GAS;
        assembly ("memory-safe") {
            mstore(0, 0)
            let succeeded := call(gasForToken, token, 0, add(data, 0x20), mload(data), 0, 0x20)
            let saidNothing := and(iszero(returndatasize()), gt(extcodesize(token), 0))
            let saidTrue := and(gt(returndatasize(), 0x1f), eq(mload(0), 1))
            done := and(succeeded, or(saidNothing, saidTrue))
        }
    }
}
