// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @notice What genuine evidence says about the program that produced it.
struct Attestation {
    /// Identity of the program (and of its trusted platform parts).
    bytes32 measurement;
    /// What the program chose to bind the evidence to.
    bytes32 reportData;
    /// Whether the program's memory may be open to its host.
    bool debug;
}

/// @title Checks remote-attestation evidence
/// @notice Reverts unless the evidence is genuine. Whether the program is a trusted one, the
///         evidence fresh and debug acceptable is for the caller to judge.
interface IAttestationVerifier {
    /// @notice Check evidence. The ether sent along pays the quote verifier; what it doesn't take
    ///         is returned to the caller.
    /// @param evidence In the verifier's own format.
    /// @return attestation What the evidence says.
    function verify(bytes calldata evidence)
        external
        payable
        returns (Attestation memory attestation);
}
