// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Attestation, IAttestationVerifier} from "../interfaces/IAttestationVerifier.sol";
import {DcapOutput} from "./DcapOutput.sol";
import {IDcapAttestation} from "./IDcapAttestation.sol";

/// @title Attestation by Intel SGX and TDX quotes
/// @notice Evidence is the raw quote. Its signature chain and collateral are checked by the public
///         on-chain DCAP verifier; this contract translates the answer.
/// @dev A quote carries no time: `attestedAt` is now, because the collateral (revocation lists, TCB
///      levels) is checked now. That somebody holds the key now is shown by the registry's proof of
///      possession. Verifiers that charge a fee aren't supported.
contract DcapAttestationVerifier is IAttestationVerifier {
    /// @dev Up to date, or needing only software hardening, which the measured program contains.
    uint8 private constant WORST_TCB_STATUS = 1;

    /// @notice The public verifier of quotes.
    IDcapAttestation public immutable DCAP;

    /// @notice The address has no code.
    error NotAVerifier(address account);
    /// @notice The public verifier refused the quote, with this reason.
    error QuoteRefused(bytes reason);
    /// @notice The platform's patch level is worse than `worst`.
    error PlatformOutOfDate(uint8 tcbStatus, uint8 worst);
    /// @notice The second half of the report data must be zero.
    error ReportDataTailNotZero(bytes32 tail);

    /// @param dcap The public verifier.
    constructor(IDcapAttestation dcap) {
        if (address(dcap).code.length == 0) revert NotAVerifier(address(dcap));
        DCAP = dcap;
    }

    /// @inheritdoc IAttestationVerifier
    function verify(bytes calldata evidence) external returns (Attestation memory) {
        (bool success, bytes memory output) = DCAP.verifyAndAttestOnChain(evidence);
        if (!success) revert QuoteRefused(output);
        DcapOutput.Report memory report = this.parseOutput(output);
        if (report.tcbStatus > WORST_TCB_STATUS) {
            revert PlatformOutOfDate(report.tcbStatus, WORST_TCB_STATUS);
        }
        if (report.reportDataTail != 0) revert ReportDataTailNotZero(report.reportDataTail);
        return Attestation({
            measurement: report.measurement,
            reportData: report.reportData,
            attestedAt: uint64(block.timestamp),
            debug: report.debug
        });
    }

    /// @notice What a verifier's output says; for computing the measurement to allow.
    /// @param output What the public verifier returned.
    /// @return The report.
    function parseOutput(bytes calldata output) external pure returns (DcapOutput.Report memory) {
        return DcapOutput.parse(output);
    }
}
