// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeErrors} from "../interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../interfaces/IBridgeEvents.sol";
import {BridgeStorage} from "./BridgeStorage.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title Changes that are announced in advance
/// @notice The owner announces a call of this contract. After the delay, anyone can enact it by
///         sending exactly that call. A removal of the same entry voids it.
abstract contract AnnouncedChanges is BridgeStorage, Ownable2Step, IBridgeEvents, IBridgeErrors {
    /// @notice Seconds between a change's announcement and its effect.
    uint32 public immutable ANNOUNCEMENT_DELAY;

    mapping(bytes32 changeId => uint256) private _activeAt;
    mapping(bytes32 entry => uint256) private _removedAt;

    /// @dev The call's exact bytes must have been announced, and the delay must have passed.
    modifier announced() {
        _enact();
        _;
    }

    constructor(address initialOwner, uint32 announcementDelay) Ownable(initialOwner) {
        if (announcementDelay == 0) revert ZeroWindow();
        ANNOUNCEMENT_DELAY = announcementDelay;
    }

    /// @notice Announce a change.
    /// @param change The ABI-encoded call that will enact it.
    /// @return changeId keccak256 of it.
    function announce(bytes calldata change) external onlyOwner returns (bytes32 changeId) {
        // A change shorter than a selector can't be announced either.
        // forge-lint: disable-next-line(unsafe-typecast)
        bytes4 selector = bytes4(change);
        if (!_isAnnounceable(selector) || change.length < 36) revert NotAnnounceable(selector);
        changeId = keccak256(change);
        uint256 activeAt = changeActiveAt(change);
        if (activeAt != 0) revert AlreadyAnnounced(changeId, activeAt);
        activeAt = block.timestamp + ANNOUNCEMENT_DELAY;
        _activeAt[changeId] = activeAt;
        emit ChangeAnnounced(changeId, change, activeAt);
    }

    /// @notice Take an announced change back.
    /// @param changeId keccak256 of the change.
    function withdrawChange(bytes32 changeId) external onlyOwner {
        if (_activeAt[changeId] == 0) revert NotAnnounced(changeId);
        delete _activeAt[changeId];
        emit ChangeWithdrawn(changeId);
    }

    /// @notice When a change can first be enacted.
    /// @param change The call, 36 bytes at least.
    /// @return Unix seconds; 0 if it isn't announced, or was enacted, withdrawn or voided.
    function changeActiveAt(bytes calldata change) public view returns (uint256) {
        uint256 activeAt = _activeAt[keccak256(change)];
        uint256 removedAt = _removedAt[keccak256(change[:36])];
        return activeAt < removedAt + ANNOUNCEMENT_DELAY ? 0 : activeAt;
    }

    /// @dev Whether calls of this function can be announced.
    function _isAnnounceable(bytes4 selector) internal pure virtual returns (bool);

    /// @dev Voids every earlier announcement about this entry.
    /// @param selector Of the function that adds the entry.
    /// @param key Its first argument.
    function _overtake(bytes4 selector, uint256 key) internal {
        _removedAt[keccak256(abi.encodePacked(selector, key))] = block.timestamp;
    }

    function _enact() private {
        bytes32 changeId = keccak256(msg.data);
        uint256 activeAt = changeActiveAt(msg.data);
        if (activeAt == 0) revert NotAnnounced(changeId);
        if (block.timestamp < activeAt) revert NotActiveYet(changeId, activeAt);
        delete _activeAt[changeId];
    }
}
