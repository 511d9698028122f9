// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title Public on-chain verifier of Intel DCAP quotes
/// @notice The entry point of Automata's deployments.
interface IDcapAttestation {
    /// @notice Verify a raw SGX or TDX quote against the collateral kept on chain.
    /// @dev Some deployments charge a share of the gas that this costs. They take it from the ether
    ///      sent along and return the rest, in today's versions to the transaction's origin.
    /// @param rawQuote The quote.
    /// @return success Whether the quote is genuine.
    /// @return output Header, quote body and advisories, see `DcapOutput`; if refused, the reason.
    function verifyAndAttestOnChain(bytes calldata rawQuote)
        external
        payable
        returns (bool success, bytes memory output);
}
