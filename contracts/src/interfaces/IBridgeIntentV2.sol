// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Intent, Settlement} from "./BridgeTypes.sol";
import {IBridgeErrors} from "./IBridgeErrors.sol";
import {IBridgeEvents} from "./IBridgeEvents.sol";

/// @title Confidential cross-chain intents, source and destination side
/// @notice A sender locks `tokenA` here. Solvers bid to deliver `tokenB` on another chain; the
///         winner puts down a bond, delivers there through that chain's bridge, and is paid here
///         once an enclave has attested the delivery. If nobody delivers, anyone can send the
///         escrow back to the sender, with nobody's help.
interface IBridgeIntentV2 is IBridgeEvents, IBridgeErrors {
    /// @notice Offer `amountA` of `tokenA` for at least `expectedAmountB` of `tokenB` elsewhere.
    /// @dev Pulls `_amountA + _reward`; the caller's allowance must cover both. A 512-byte recovery
    ///      blob may follow the arguments in calldata, see `CalldataBlob`.
    /// @param _tokenA Listed token of this chain.
    /// @param _tokenB Token of the destination chain, not zero. It isn't checked here.
    /// @param _amountA Base units of `_tokenA`, within the token's range.
    /// @param _expectedAmountB Base units of `_tokenB`, at least 1.
    /// @param _reward Base units of `_tokenA` that the winner gets on top.
    /// @param _destChainId Listed destination chain.
    /// @param _auctionDuration Seconds, 20 to 86,400.
    /// @return intentId `(chainId << 64) | sequence`; sequences start at 1 and have no gaps.
    function createIntent(
        address _tokenA,
        address _tokenB,
        uint256 _amountA,
        uint256 _expectedAmountB,
        uint256 _reward,
        uint256 _destChainId,
        uint256 _auctionDuration
    ) external returns (uint256 intentId);

    /// @notice Relayer: fix the fee and put the recovery blob on chain, once, while the auction runs.
    /// @param intentId An open intent that isn't anchored.
    /// @param feeBps 250 or 700.
    /// @param encryptedBlob May be empty only if `IntentCreated` carried a blob.
    function anchorIntent(uint256 intentId, uint16 feeBps, bytes calldata encryptedBlob) external;

    /// @notice Relayer: put a further recovery blob on chain, in any phase.
    /// @param intentId Any intent.
    /// @param encryptedBlob Not empty.
    function appendBlob(uint256 intentId, bytes calldata encryptedBlob) external;

    /// @notice Bid for an anchored intent while block time < endTime.
    /// @param intentId An open intent.
    /// @param amountB Base units of `tokenB`; at least `expectedAmountB` and above the best bid.
    function placeBid(uint256 intentId, uint256 amountB) external;

    /// @notice Put down the bond (5 % of `amountA`, pulled in `tokenA`) and become the winner.
    /// @dev In `[endTime, endTime + W)` the best bidder, at no less than its bid; in
    ///      `[endTime + W, endTime + 2W)` anyone, at no less than `expectedAmountB`; never without
    ///      a bid.
    /// @param intentId An open intent with a bid.
    /// @param amountB What the caller commits to deliver, in base units of `tokenB`.
    function depositAndPickup(uint256 intentId, uint256 amountB) external;

    /// @notice On the destination chain: pay an intent's recipients from the caller's allowance.
    /// @dev Once for each source chain, intent and caller. Anyone may call it for any id: whether a
    ///      delivery counts is judged by the enclave, against the winner and its terms.
    /// @param sourceChainId Chain of the intent.
    /// @param intentId The intent, issued by that chain.
    /// @param tokenB Token to pay with; one that delivers less than asked reverts.
    /// @param recipients 1 to 200 accounts, not zero.
    /// @param amounts Base units of `tokenB` for each recipient, not zero.
    /// @return chain2IntentId `(chainId << 64) | deliverySequence`.
    function solveIntent(
        uint256 sourceChainId,
        uint256 intentId,
        address tokenB,
        address[] calldata recipients,
        uint256[] calldata amounts
    ) external returns (uint256 chain2IntentId);

    /// @notice Pay the winner `amountA - fee + reward + bond` against an attestation. Anyone may.
    /// @param settlement What was attested.
    /// @param signature 65-byte EIP-712 signature of it by an active enclave key.
    function settleIntent(Settlement calldata settlement, bytes calldata signature) external;

    /// @notice Sender: take an intent back before any bid.
    /// @param intentId An open intent without a bid.
    function cancelIntent(uint256 intentId) external;

    /// @notice Send an unfulfilled intent back to its sender. Anyone may, nothing can stop it.
    /// @dev Expired: open, and `endTime` passed without a bid or both pickup windows passed.
    ///      Failed: deposited, and `fillDeadline + SETTLEMENT_GRACE` passed; the bond goes along.
    /// @param intentId An open or deposited intent.
    function refund(uint256 intentId) external;

    /// @notice Take the caller's credit in a token, all of it.
    /// @dev Where to is the owner's choice, so that an owner whom the token refuses can name another.
    /// @param token The token.
    /// @param to Who receives it.
    function claim(address token, address to) external;

    /// @notice Send a token's fees to the treasury. Anyone may.
    /// @param token The token.
    function collectFees(address token) external;

    /// @notice Everything known about an intent; all zero if there is none.
    /// @param intentId Any id.
    /// @return The intent.
    function getIntent(uint256 intentId) external view returns (Intent memory);

    /// @notice Id of the latest intent, 0 if there is none.
    /// @dev Another sender may be faster: read your id from your receipt's `IntentCreated`.
    /// @return `(chainId << 64) | sequence`.
    function getLatestIntentId() external view returns (uint256);

    /// @notice Who put down the bond for an intent, zero if nobody has.
    /// @param intentId Any id.
    /// @return The winner.
    function winnerOf(uint256 intentId) external view returns (address);

    /// @notice The delivery that `solver` made of an intent on this chain, 0 if it made none.
    /// @param sourceChainId Chain of the intent.
    /// @param intentId The intent.
    /// @param solver The account that would have paid.
    /// @return chain2IntentId of the delivery.
    function deliveryOf(uint256 sourceChainId, uint256 intentId, address solver)
        external
        view
        returns (uint256);

    /// @notice What `owner` can claim of a token, in base units.
    /// @param owner The account.
    /// @param token The token.
    /// @return Base units.
    function claimable(address owner, address token) external view returns (uint256);

    /// @notice Fees of a token that wait for `collectFees`, in base units.
    /// @param token The token.
    /// @return Base units.
    function uncollectedFees(address token) external view returns (uint256);

    /// @notice The digest an enclave key signs to attest a settlement.
    /// @param settlement What is attested.
    /// @return EIP-712 digest for this contract on this chain.
    function settlementDigest(Settlement calldata settlement) external view returns (bytes32);
}
