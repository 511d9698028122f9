// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeIntentV2} from "../interfaces/IBridgeIntentV2.sol";
import {IntentBook} from "./IntentBook.sol";
import {Payouts} from "./Payouts.sol";
import {Secp256k1} from "./Secp256k1.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title The stakes that back solvers' bids
/// @notice A best bid and a deposit each lock stake worth the intent's bond. A lock is released
///         or forfeited; forfeits go where nobody profits from them.
abstract contract Stakes is IntentBook, Payouts, ReentrancyGuardTransient {
    /// @dev One slot, so that a bid writes one for the bidder and one for the outbid.
    struct Stake {
        uint128 total;
        uint128 locked;
    }

    /// @notice Receives forfeited stakes: an address that nobody controls.
    address public immutable FORFEIT_RECEIVER;

    mapping(address solver => mapping(uint16 tokenIndex => Stake)) private _stakes;

    constructor(address forfeitReceiver) {
        if (forfeitReceiver == address(0)) revert ZeroAddress();
        FORFEIT_RECEIVER = forfeitReceiver;
    }

    /// @inheritdoc IBridgeIntentV2
    function setSealingKey(uint256 x, uint256 y) external {
        if (_sealingKeys[msg.sender].y != 0) revert SealingKeyIsSet(msg.sender);
        if (!Secp256k1.isOnCurve(x, y)) revert NotOnCurve(x, y);
        _sealingKeys[msg.sender] = SealingKey(x, y);
        emit SealingKeySet(msg.sender, x, y);
    }

    /// @inheritdoc IBridgeIntentV2
    function stake(address token, uint256 amount) external nonReentrant {
        if (_sealingKeys[msg.sender].y == 0) revert NoSealingKey(msg.sender);
        _stakes[msg.sender][_indexOf(token)].total += _stakeable(amount);
        emit StakeAdded(msg.sender, token, amount);
        _pull(token, amount);
    }

    /// @inheritdoc IBridgeIntentV2
    function unstake(address token, uint256 amount) external nonReentrant {
        uint16 tokenIndex = _indexOf(token);
        Stake storage held = _stakes[msg.sender][tokenIndex];
        _requireFree(held, msg.sender, tokenIndex, amount);
        held.total -= _stakeable(amount);
        emit StakeRemoved(msg.sender, token, amount);
        _pay(token, msg.sender, amount);
    }

    /// @inheritdoc IBridgeIntentV2
    function sealingKeyOf(address solver) external view returns (uint256 x, uint256 y) {
        SealingKey storage key = _sealingKeys[solver];
        return (key.x, key.y);
    }

    /// @inheritdoc IBridgeIntentV2
    function stakeOf(address solver, address token)
        external
        view
        returns (uint256 total, uint256 locked)
    {
        if (!_isKnown(token)) return (0, 0);
        Stake storage held = _stakes[solver][_indexOf(token)];
        return (held.total, held.locked);
    }

    // A bond is a twentieth of a 96-bit amount.
    // forge-lint: disable-start(unsafe-typecast)

    function _lock(address solver, uint16 tokenIndex, uint256 bond) internal {
        Stake storage held = _stakes[solver][tokenIndex];
        _requireFree(held, solver, tokenIndex, bond);
        held.locked += uint128(bond);
    }

    function _unlock(address solver, uint16 tokenIndex, uint256 bond) internal {
        _stakes[solver][tokenIndex].locked -= uint128(bond);
    }

    /// @dev Removes a lock from the solver's stake for good, and pushes it.
    function _forfeit(uint256 intentId, address solver, uint16 tokenIndex, uint256 bond) internal {
        Stake storage held = _stakes[solver][tokenIndex];
        held.total -= uint128(bond);
        held.locked -= uint128(bond);
        emit BidForfeited(intentId, solver, bond);
        _push(_tokenAt(tokenIndex), FORFEIT_RECEIVER, bond);
    }

    // forge-lint: disable-end(unsafe-typecast)

    function _stakeable(uint256 amount) private pure returns (uint128) {
        if (amount == 0 || amount > type(uint96).max) {
            revert StakeOutOfRange(amount, type(uint96).max);
        }
        // Checked in the line before.
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint128(amount);
    }

    function _requireFree(Stake storage held, address solver, uint16 tokenIndex, uint256 needed)
        private
        view
    {
        uint256 free = held.total - held.locked;
        if (free < needed) revert StakeTooLow(solver, _tokenAt(tokenIndex), free, needed);
    }
}
