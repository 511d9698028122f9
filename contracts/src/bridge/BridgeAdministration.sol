// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {TokenListing} from "../interfaces/BridgeTypes.sol";
import {AnnouncedChanges} from "./AnnouncedChanges.sol";

/// @title What the owner controls: the terms of new intents, and where fees go
/// @notice Nothing here affects an open intent. Its terms are stored with it; settle, refund and
///         claim check neither the lists nor the pause. Additions are announced; removals, and the
///         constructor's entries, count at once.
abstract contract BridgeAdministration is AnnouncedChanges {
    /// @dev Least `minEscrow` of a token, so that its bond is never rounded to nothing.
    uint256 internal constant MIN_ESCROW = 10_000;
    /// @dev Most signatures that a token's intents can need.
    uint256 private constant MAX_QUORUM = 8;

    /// @dev Greatest chain id that JavaScript can hold as a number without losing digits.
    uint256 private constant MAX_CHAIN_ID = 2 ** 53 - 1;
    /// @dev An intent holds its destination's index in 8 bits.
    uint256 private constant MAX_DESTINATIONS = 256;

    /// @dev One slot. `index` finds the token's address from an intent's 16 bits and never changes.
    struct Listing {
        uint96 minEscrow;
        uint96 maxEscrow;
        uint16 index;
        uint8 quorum;
        bool known;
        bool listed;
    }

    struct Destination {
        uint8 index;
        bool known;
        bool listed;
    }

    /// @notice Who receives the fees.
    address public treasury;

    /// @notice Whether a contract may create intents for users.
    mapping(address periphery => bool) public isPeripheryListed;

    mapping(address token => Listing) private _listings;
    mapping(uint256 destChainId => Destination) private _destinationOf;

    constructor(address initialTreasury) {
        if (initialTreasury == address(0)) revert ZeroAddress();
        treasury = initialTreasury;
    }

    /// @notice Let a token be offered in new intents, or change its range and quorum for them.
    ///         Anyone may, once it has been announced.
    /// @param token An ERC-20 that neither takes a fee on transfer nor changes balances by itself.
    /// @param minEscrow Least `amountA + reward`, in base units, at least 10,000.
    /// @param maxEscrow Greatest `amountA + reward`, in base units, at most `type(uint96).max`.
    /// @param quorum Signatures of different operators that its intents need, 1 to 8.
    function listToken(address token, uint256 minEscrow, uint256 maxEscrow, uint8 quorum)
        external
        announced
    {
        _listToken(token, minEscrow, maxEscrow, quorum);
    }

    /// @notice Keep a token out of new intents. Open ones are unaffected.
    /// @param token A listed token.
    function delistToken(address token) external onlyOwner {
        _overtake(this.listToken.selector, uint160(token));
        _listingOf(token).listed = false;
        emit TokenDelisted(token);
    }

    /// @notice Let a chain be the destination of new intents. Anyone may, once it was announced.
    /// @param destChainId Another chain's id, 1 to 2^53 - 1.
    function listDestination(uint256 destChainId) external announced {
        _listDestination(destChainId);
    }

    /// @notice Keep a chain from being the destination of new intents. Open ones are unaffected.
    /// @param destChainId A listed chain.
    function delistDestination(uint256 destChainId) external onlyOwner {
        _overtake(this.listDestination.selector, destChainId);
        _listedDestination(destChainId).listed = false;
        emit DestinationDelisted(destChainId);
    }

    /// @notice Let a contract create intents for users. Anyone may, once it has been announced.
    /// @param periphery A contract that makes sure the user agreed.
    function listPeriphery(address periphery) external announced {
        _listPeriphery(periphery);
    }

    /// @notice Keep a contract from creating intents for users.
    /// @param periphery A listed contract.
    function delistPeriphery(address periphery) external onlyOwner {
        _overtake(this.listPeriphery.selector, uint160(periphery));
        _requirePeriphery(periphery);
        isPeripheryListed[periphery] = false;
        emit PeripheryDelisted(periphery);
    }

    /// @notice Collect fees, those already earned included, to another account from now on.
    ///         Anyone may, once it has been announced.
    /// @param newTreasury Not zero.
    function changeTreasury(address newTreasury) external announced {
        if (newTreasury == address(0)) revert ZeroAddress();
        emit TreasuryChanged(treasury, newTreasury);
        treasury = newTreasury;
    }

    /// @notice Stop the creation of intents. Nothing else stops.
    function pauseCreation() external onlyOwner {
        _requireNotPaused();
        creationPaused = true;
        emit CreationPaused();
    }

    /// @notice Allow the creation of intents again.
    function resumeCreation() external onlyOwner {
        if (!creationPaused) revert CreationIsNotPaused();
        creationPaused = false;
        emit CreationResumed();
    }

    /// @notice Whether a token may be offered, with which range of escrow and how many signatures.
    /// @param token Any address.
    /// @return listed Whether new intents may offer it.
    /// @return minEscrow Least `amountA + reward`, in base units.
    /// @return maxEscrow Greatest `amountA + reward`, in base units.
    /// @return quorum Signatures that new intents will need.
    function tokenListing(address token)
        external
        view
        returns (bool listed, uint256 minEscrow, uint256 maxEscrow, uint8 quorum)
    {
        Listing storage listing = _listings[token];
        return (listing.listed, listing.minEscrow, listing.maxEscrow, listing.quorum);
    }

    /// @notice Whether a chain may be the destination of new intents.
    /// @param destChainId Any chain.
    /// @return True if it is listed.
    function isDestinationListed(uint256 destChainId) external view returns (bool) {
        return _destinationOf[destChainId].listed;
    }

    function _requireNotPaused() internal view {
        if (creationPaused) revert CreationIsPaused();
    }

    /// @dev The constructor's entries count at once.
    function _listAll(
        TokenListing[] memory tokens,
        uint256[] memory destinations,
        address[] memory periphery
    ) internal {
        for (uint256 i = 0; i < tokens.length; ++i) {
            TokenListing memory listing = tokens[i];
            _listToken(listing.token, listing.minEscrow, listing.maxEscrow, listing.quorum);
        }
        for (uint256 i = 0; i < destinations.length; ++i) {
            _listDestination(destinations[i]);
        }
        for (uint256 i = 0; i < periphery.length; ++i) {
            _listPeriphery(periphery[i]);
        }
    }

    /// @dev The token's index and quorum; reverts unless `escrow` of it may be offered now.
    function _checkOffer(address token, uint256 escrow) internal view returns (uint16, uint8) {
        Listing memory listing = _listingOf(token);
        if (escrow < listing.minEscrow || escrow > listing.maxEscrow) {
            revert AmountOutOfRange(escrow, listing.minEscrow, listing.maxEscrow);
        }
        return (listing.index, listing.quorum);
    }

    /// @dev A token that is listed now.
    function _listingOf(address token) private view returns (Listing storage listing) {
        listing = _listings[token];
        if (!listing.listed) revert TokenNotListed(token);
    }

    /// @dev The chain's index; reverts unless it may be a destination now.
    function _checkDestination(uint256 destChainId) internal view returns (uint8) {
        return _listedDestination(destChainId).index;
    }

    function _listedDestination(uint256 destChainId) private view returns (Destination storage) {
        Destination storage destination = _destinationOf[destChainId];
        if (!destination.listed) revert DestinationNotListed(destChainId);
        return destination;
    }

    /// @dev Reverts unless the contract may create intents for users now.
    function _requirePeriphery(address periphery) internal view {
        if (!isPeripheryListed[periphery]) revert PeripheryNotListed(periphery);
    }

    /// @dev The index of a token that is or was listed.
    function _indexOf(address token) internal view returns (uint16) {
        Listing storage listing = _listings[token];
        if (!listing.known) revert TokenNotListed(token);
        return listing.index;
    }

    function _isKnown(address token) internal view returns (bool) {
        return _listings[token].known;
    }

    /// @inheritdoc AnnouncedChanges
    function _isAnnounceable(bytes4 selector) internal pure override returns (bool) {
        return selector == this.listToken.selector || selector == this.listDestination.selector
            || selector == this.listPeriphery.selector || selector == this.changeTreasury.selector;
    }

    function _listToken(address token, uint256 minEscrow, uint256 maxEscrow, uint8 quorum) private {
        if (token.code.length == 0) revert NotAContract(token);
        if (minEscrow < MIN_ESCROW || minEscrow > maxEscrow || maxEscrow > type(uint96).max) {
            revert InvalidAmountRange(minEscrow, maxEscrow, MIN_ESCROW, type(uint96).max);
        }
        if (quorum == 0 || quorum > MAX_QUORUM) revert InvalidQuorum(quorum, MAX_QUORUM);
        Listing storage listing = _listings[token];
        if (!listing.known) {
            uint256 index = _tokens.length;
            if (index > type(uint16).max) revert ListFull(uint256(type(uint16).max) + 1);
            // Checked in the line before.
            // forge-lint: disable-next-line(unsafe-typecast)
            (listing.index, listing.known) = (uint16(index), true);
            _tokens.push(token);
        }
        // Both fit: checked above.
        // forge-lint: disable-next-line(unsafe-typecast)
        (listing.minEscrow, listing.maxEscrow) = (uint96(minEscrow), uint96(maxEscrow));
        listing.quorum = quorum;
        listing.listed = true;
        emit TokenListed(token, minEscrow, maxEscrow, quorum);
    }

    function _listDestination(uint256 destChainId) private {
        if (destChainId == 0 || destChainId == block.chainid || destChainId > MAX_CHAIN_ID) {
            revert InvalidDestination(destChainId, MAX_CHAIN_ID);
        }
        Destination storage destination = _destinationOf[destChainId];
        if (!destination.known) {
            uint256 index = _destinations.length;
            if (index == MAX_DESTINATIONS) revert ListFull(MAX_DESTINATIONS);
            // Below 256.
            // forge-lint: disable-next-line(unsafe-typecast)
            (destination.index, destination.known) = (uint8(index), true);
            _destinations.push(destChainId);
        }
        destination.listed = true;
        emit DestinationListed(destChainId);
    }

    function _listPeriphery(address periphery) private {
        if (periphery == address(0)) revert ZeroAddress();
        isPeripheryListed[periphery] = true;
        emit PeripheryListed(periphery);
    }
}
