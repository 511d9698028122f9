// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeErrors} from "../interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../interfaces/IBridgeEvents.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title Moving tokens in and out of escrow
/// @notice Tokens are pulled in, and measured. They are pushed out; a push that the token refuses
///         becomes a credit, so no payee and no token can stop a settlement or a refund.
abstract contract Payouts is IBridgeEvents, IBridgeErrors {
    /// @dev Gas that a push hands to the token: several times what the heaviest real tokens use,
    ///      and a bound on what a hostile one can burn.
    uint256 internal constant PUSH_GAS = 300_000;

    /// @dev Gas that must be left before a push: 64/63 of PUSH_GAS (a call can hand on at most
    ///      63/64 of what is left), and enough to record a credit afterwards.
    uint256 internal constant PUSH_GAS_REQUIRED = PUSH_GAS + PUSH_GAS / 63 + 60_000;

    /// @dev Credits by owner and token.
    mapping(address owner => mapping(address token => uint256)) private _credits;
    mapping(address token => uint256) private _fees;

    function _creditOf(address owner, address token) internal view returns (uint256) {
        return _credits[owner][token];
    }

    function _feesOf(address token) internal view returns (uint256) {
        return _fees[token];
    }

    function _addFee(address token, uint256 amount) internal {
        _fees[token] += amount;
    }

    /// @dev Moves `amount` from the caller to this contract, or reverts.
    function _pull(address token, uint256 amount) internal {
        if (!_move(token, address(this), amount, gasleft())) _revertAs(token);
    }

    /// @dev Moves `amount` from the caller to `to`. False if the token refuses; reverts for lack of
    ///      gas, and if the token accepts and `to` gets less.
    function _tryMove(address token, address to, uint256 amount) internal returns (bool) {
        _requirePushGas();
        return _move(token, to, amount, PUSH_GAS);
    }

    /// @dev Pays `amount` to `to`, or reverts.
    function _pay(address token, address to, uint256 amount) internal {
        if (!TokenCalls.tryTransfer(token, to, amount, gasleft())) _revertAs(token);
    }

    /// @dev Pays `amount` to `to`, or credits it. Reverts only for lack of gas: otherwise a caller
    ///      could turn a payment into a credit by sending too little gas.
    function _push(address token, address to, uint256 amount) internal {
        _requirePushGas();
        if (TokenCalls.tryTransfer(token, to, amount, PUSH_GAS)) return;
        _credits[to][token] += amount;
        emit CreditAdded(to, token, amount);
    }

    /// @dev Pays the caller's whole credit to `to`; if the token refuses, the credit stays.
    function _claim(address token, address to) internal {
        uint256 amount = _notNothing(_credits[msg.sender][token], msg.sender, token);
        delete _credits[msg.sender][token];
        emit CreditClaimed(msg.sender, token, amount);
        _pay(token, to, amount);
    }

    /// @dev Pays all fees to `treasury`; if the token refuses, the fees stay.
    function _collect(address token, address treasury) internal {
        uint256 amount = _notNothing(_fees[token], treasury, token);
        delete _fees[token];
        emit FeesCollected(token, treasury, amount);
        _pay(token, treasury, amount);
    }

    function _notNothing(uint256 amount, address owner, address token)
        internal
        pure
        returns (uint256)
    {
        if (amount == 0) revert NothingOwed(owner, token);
        return amount;
    }

    /// @dev Measured by `to`'s balance. Paying oneself changes no balance, so there is nothing to
    ///      measure; it must not revert, or a sender could make a winner lose its bond by naming it
    ///      as the recipient.
    function _move(address token, address to, uint256 amount, uint256 gasForToken)
        private
        returns (bool)
    {
        uint256 before = _balanceOf(token, to);
        if (!TokenCalls.tryTransferFromCaller(token, to, amount, gasForToken)) return false;
        uint256 received = _balanceOf(token, to) - before;
        if (received < amount && to != msg.sender) revert TransferShort(token, amount, received);
        return true;
    }

    function _balanceOf(address token, address account) private view returns (uint256) {
        (bool answered, uint256 amount) = TokenCalls.balanceOf(token, account);
        if (!answered) revert NotAContract(token);
        return amount;
    }

    function _requirePushGas() private view {
        uint256 left = gasleft();
        if (left < PUSH_GAS_REQUIRED) revert InsufficientGas(left, PUSH_GAS_REQUIRED);
    }

    /// @dev Reverts with the token's own reason, if it gave one.
    function _revertAs(address token) private pure {
        assembly ("memory-safe") {
            if gt(returndatasize(), 0x20) {
                let reason := mload(0x40)
                returndatacopy(reason, 0, returndatasize())
                revert(reason, returndatasize())
            }
        }
        revert TransferRefused(token);
    }
}
