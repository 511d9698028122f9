// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Attestation, IAttestationVerifier} from "../interfaces/IAttestationVerifier.sol";
import {DcapOutput} from "./DcapOutput.sol";
import {IDcapAttestation} from "./IDcapAttestation.sol";

/// @title Attestation by Intel SGX and TDX quotes
/// @notice Evidence is the raw quote. The public on-chain DCAP verifier checks its signature chain
///         and collateral; this contract translates the answer.
/// @dev A quote carries no time; the registry's challenge in its report data shows how fresh it is.
///      Collateral (revocation lists, TCB levels) is checked as of now. The public verifier's owner
///      can replace its parts and so accept any quote. It has to be trusted; the registry's
///      operators, delays and quorum limit the damage it could do.
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
    /// @notice The platform's owner may move this TD to another machine.
    error MigratableProgram();
    /// @notice A service TD with this hash is bound to this TD.
    error ServiceProgramBound(bytes32 hash);
    /// @notice The caller refuses the unused part of the fee.
    error RefundRefused(address caller, uint256 amount);
    /// @notice Only the public verifier may send ether, to return the unused part of the fee.
    error UnexpectedPayment(address from);
    /// @notice The second half of the report data must be zero.
    error ReportDataTailNotZero(bytes32 tail);

    /// @param dcap The public verifier.
    constructor(IDcapAttestation dcap) {
        if (address(dcap).code.length == 0) revert NotAVerifier(address(dcap));
        DCAP = dcap;
    }

    receive() external payable {
        if (msg.sender != address(DCAP)) revert UnexpectedPayment(msg.sender);
    }

    /// @inheritdoc IAttestationVerifier
    function verify(bytes calldata evidence) external payable returns (Attestation memory) {
        uint256 before = address(this).balance - msg.value;
        (bool success, bytes memory output) =
            DCAP.verifyAndAttestOnChain{value: msg.value}(evidence);
        if (!success) revert QuoteRefused(output);
        DcapOutput.Report memory report = this.parseOutput(output);
        if (report.tcbStatus > WORST_TCB_STATUS) {
            revert PlatformOutOfDate(report.tcbStatus, WORST_TCB_STATUS);
        }
        if (report.migratable) revert MigratableProgram();
        if (report.serviceHash != 0) revert ServiceProgramBound(report.serviceHash);
        if (report.reportDataTail != 0) revert ReportDataTailNotZero(report.reportDataTail);
        _giveBack(address(this).balance - before);
        return Attestation({
            measurement: report.measurement, reportData: report.reportData, debug: report.debug
        });
    }

    /// @notice Decode a verifier's output, to compute the measurement to allow.
    /// @param output What the public verifier returned.
    /// @return The report.
    function parseOutput(bytes calldata output) external pure returns (DcapOutput.Report memory) {
        return DcapOutput.parse(output);
    }

    function _giveBack(uint256 amount) private {
        if (amount == 0) return;
        (bool taken,) = msg.sender.call{value: amount}("");
        if (!taken) revert RefundRefused(msg.sender, amount);
    }
}
