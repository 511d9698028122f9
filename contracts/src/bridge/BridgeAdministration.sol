// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBridgeErrors} from "../interfaces/IBridgeErrors.sol";
import {IBridgeEvents} from "../interfaces/IBridgeEvents.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title What the owner decides: what new intents may look like, and who relays
/// @notice Nothing here reaches an open intent. Its terms are stored with it; settle, refund and
///         claim ask neither the lists nor the pause.
abstract contract BridgeAdministration is Ownable2Step, IBridgeEvents, IBridgeErrors {
    /// @dev Greatest chain id that programs outside can hold as a number without losing digits.
    uint256 private constant MAX_CHAIN_ID = 2 ** 53 - 1;

    /// @dev One slot. `index` finds the token's address from an intent's 16 bits and never changes.
    struct Listing {
        uint96 minAmount;
        uint96 maxAmount;
        uint16 index;
        bool known;
        bool listed;
    }

    /// @notice Who may anchor intents and append blobs.
    address public relayer;
    /// @notice Who receives the fees.
    address public treasury;
    /// @notice Whether the creation of intents is paused.
    bool public creationPaused;

    mapping(address token => Listing) private _listings;
    mapping(uint256 destChainId => bool) private _destinations;
    address[] private _tokens;

    constructor(address initialOwner, address initialRelayer, address initialTreasury)
        Ownable(initialOwner)
    {
        if (initialRelayer == address(0) || initialTreasury == address(0)) revert ZeroAddress();
        relayer = initialRelayer;
        treasury = initialTreasury;
    }

    /// @notice Let a token be offered in new intents, or change its range.
    /// @param token An ERC-20 that neither takes a fee on transfer nor changes balances by itself.
    /// @param minAmount Least `amountA`, in base units, at least 1.
    /// @param maxAmount Greatest `amountA`, in base units, at most `type(uint96).max`.
    function listToken(address token, uint256 minAmount, uint256 maxAmount) external onlyOwner {
        if (token.code.length == 0) revert NotAContract(token);
        if (minAmount == 0 || minAmount > maxAmount || maxAmount > type(uint96).max) {
            revert InvalidAmountRange(minAmount, maxAmount, type(uint96).max);
        }
        Listing storage listing = _listings[token];
        if (!listing.known) {
            listing.index = SafeCast.toUint16(_tokens.length);
            listing.known = true;
            _tokens.push(token);
        }
        // Both fit: checked above.
        // forge-lint: disable-next-line(unsafe-typecast)
        (listing.minAmount, listing.maxAmount) = (uint96(minAmount), uint96(maxAmount));
        listing.listed = true;
        emit TokenListed(token, minAmount, maxAmount);
    }

    /// @notice Keep a token out of new intents. Open ones go on.
    /// @param token A listed token.
    function delistToken(address token) external onlyOwner {
        if (!_listings[token].listed) revert TokenNotListed(token);
        _listings[token].listed = false;
        emit TokenDelisted(token);
    }

    /// @notice Let a chain be the destination of new intents.
    /// @param destChainId Another chain's id, 1 to 2^53 - 1.
    function listDestination(uint256 destChainId) external onlyOwner {
        if (destChainId == 0 || destChainId == block.chainid || destChainId > MAX_CHAIN_ID) {
            revert InvalidDestination(destChainId, MAX_CHAIN_ID);
        }
        _destinations[destChainId] = true;
        emit DestinationListed(destChainId);
    }

    /// @notice Keep a chain from being the destination of new intents. Open ones go on.
    /// @param destChainId A listed chain.
    function delistDestination(uint256 destChainId) external onlyOwner {
        if (!_destinations[destChainId]) revert DestinationNotListed(destChainId);
        _destinations[destChainId] = false;
        emit DestinationDelisted(destChainId);
    }

    /// @notice Hand the relayer role to another account at once.
    /// @param newRelayer Not zero.
    function rotateRelayer(address newRelayer) external onlyOwner {
        if (newRelayer == address(0)) revert ZeroAddress();
        emit RelayerRotated(relayer, newRelayer);
        relayer = newRelayer;
    }

    /// @notice Collect fees to another account from now on, those already earned included.
    /// @param newTreasury Not zero.
    function changeTreasury(address newTreasury) external onlyOwner {
        if (newTreasury == address(0)) revert ZeroAddress();
        emit TreasuryChanged(treasury, newTreasury);
        treasury = newTreasury;
    }

    /// @notice Stop the creation of intents. Nothing else stops.
    function pauseCreation() external onlyOwner {
        if (creationPaused) revert CreationIsPaused();
        creationPaused = true;
        emit CreationPaused();
    }

    /// @notice Allow the creation of intents again.
    function resumeCreation() external onlyOwner {
        if (!creationPaused) revert CreationIsNotPaused();
        creationPaused = false;
        emit CreationResumed();
    }

    /// @notice Whether a token may be offered, and between which amounts.
    /// @param token Any address.
    /// @return listed Whether new intents may offer it.
    /// @return minAmount Least `amountA`, in base units.
    /// @return maxAmount Greatest `amountA`, in base units.
    function tokenListing(address token)
        external
        view
        returns (bool listed, uint256 minAmount, uint256 maxAmount)
    {
        Listing storage listing = _listings[token];
        return (listing.listed, listing.minAmount, listing.maxAmount);
    }

    /// @notice Whether a chain may be the destination of new intents.
    /// @param destChainId Any chain.
    /// @return True if it is listed.
    function isDestinationListed(uint256 destChainId) public view returns (bool) {
        return _destinations[destChainId];
    }

    /// @dev The token's index, if `amount` of it may be offered now.
    function _indexForOffer(address token, uint256 amount) internal view returns (uint16) {
        Listing memory listing = _listings[token];
        if (!listing.listed) revert TokenNotListed(token);
        if (amount < listing.minAmount || amount > listing.maxAmount) {
            revert AmountOutOfRange(amount, listing.minAmount, listing.maxAmount);
        }
        return listing.index;
    }

    function _tokenAt(uint16 index) internal view returns (address) {
        return _tokens[index];
    }
}
