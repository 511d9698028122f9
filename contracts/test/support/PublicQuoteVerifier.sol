// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IDcapAttestation} from "../../src/attestation/IDcapAttestation.sol";

/// @notice Stands in for the public quote verifier: returns a test's answer or a recorded one,
///         charges a fee and returns the rest as the real one does, or to its caller.
contract PublicQuoteVerifier is IDcapAttestation {
    bytes private _expectedQuote;
    bool private _success;
    bytes private _output;
    uint256 private _fee;
    bool private _backToCaller;

    error InsufficientFee(uint256 fee);
    error UnexpectedQuote(bytes quote);
    error RefundFailed();

    function answer(bytes calldata quote, bool success, bytes calldata output) external {
        (_expectedQuote, _success, _output) = (quote, success, output);
    }

    function charge(uint256 fee, bool backToCaller) external {
        (_fee, _backToCaller) = (fee, backToCaller);
    }

    function verifyAndAttestOnChain(bytes calldata rawQuote)
        external
        payable
        returns (bool, bytes memory)
    {
        if (keccak256(rawQuote) != keccak256(_expectedQuote)) {
            revert UnexpectedQuote(rawQuote);
        }
        if (msg.value < _fee) revert InsufficientFee(_fee);
        // The real one returns it to the transaction's origin.
        // forge-lint: disable-next-line(tx-origin)
        (bool paid,) = (_backToCaller ? msg.sender : tx.origin).call{value: msg.value - _fee}("");
        if (!paid) revert RefundFailed();
        return (_success, _output);
    }
}
