// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title EnclaveKeyRegistry's errors
/// @notice Each error carries the given value and what would have been accepted.
interface IRegistryErrors {
    /// @notice An operator is the zero address, or a verifier has no code.
    error InvalidAddress(address given);
    /// @notice A key would expire before its activation.
    error KeyLifetimeTooShort(uint256 keyLifetime, uint256 activationDelay);

    /// @notice An ECIES key has 65 bytes, the first of them 0x04.
    error InvalidEciesKey(bytes given);
    /// @notice The registration could be sent until `deadline`, inclusive.
    error RegistrationExpired(uint256 deadline);
    /// @notice The challenge wasn't issued within the last day; `issuedAt` is 0 if it never was.
    error ChallengeNotGood(bytes32 challenge, uint256 issuedAt);
    /// @notice The proof of possession was signed by another key.
    error WrongPossessionProof(address recovered, address signer);
    /// @notice The operator's signature was made by another key.
    error WrongOperatorSignature(address recovered, address operator);
    /// @notice The operator counts from `listing` on (0: it isn't listed) until its removal.
    error OperatorNotListed(address operator, uint256 listing, uint256 removal);
    /// @notice No verifier is installed.
    error NoVerifier();
    /// @notice The evidence comes from a debuggable program.
    error DebugEvidenceRefused();
    /// @notice The evidence is bound to something else.
    error WrongReportData(bytes32 given, bytes32 expected);
    /// @notice Keys can be registered under the measurement from this time on; 0: it isn't allowed.
    error MeasurementNotAllowed(bytes32 measurement, uint256 countsFrom);
    /// @notice The key was revoked and can't come back.
    error KeyIsRevoked(address signer);
    /// @notice The key has expired, or its measurement or operator was removed. Make a new one.
    error KeyIsOver(address signer);
    /// @notice A renewal must name the operator, measurement and ECIES key of the registration.
    error RenewalDiffers(address signer);
    /// @notice The verifier took less than it was sent, and the caller refuses the rest.
    error RefundRefused(address caller, uint256 amount);

    /// @notice Only the owner or the key's operator may revoke it.
    error NotOwnerOrOperator(address caller);
    /// @notice The key has already been revoked.
    error AlreadyRevoked(address signer);
    /// @notice The operator is or was on the list; one that was removed needs another address.
    error OperatorAlreadyListed(address operator);
    /// @notice The measurement is already allowed or announced.
    error MeasurementAlreadyAllowed(bytes32 measurement);
    /// @notice No verifier has been proposed.
    error NoVerifierProposed();
    /// @notice The proposed verifier can be installed from this time on.
    error VerifierNotInstallableYet(uint256 installableAt);
}
