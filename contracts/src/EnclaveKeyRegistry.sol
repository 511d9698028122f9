// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevelopmentChains} from "./attestation/DevelopmentChains.sol";
import {Attestation, IAttestationVerifier} from "./interfaces/IAttestationVerifier.sol";
import {IEnclaveKeyRegistry} from "./interfaces/IEnclaveKeyRegistry.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title Which enclave keys may attest settlements
/// @notice Anyone may register a key with evidence that a trusted program holds it. The owner says
///         which programs are trusted, by measurement: trust begins two days after it is announced
///         and ends at once.
contract EnclaveKeyRegistry is IEnclaveKeyRegistry, Ownable2Step, EIP712, ReentrancyGuardTransient {
    struct Measurement {
        // Unix seconds from which it is trusted; 0 if it isn't allowed.
        uint64 activeAt;
        // Counts removals, so that keys of an earlier allowance stay dead after a new one.
        uint32 generation;
    }

    struct Key {
        bytes32 measurement;
        uint64 expiresAt;
        uint32 generation;
        bool revoked;
    }

    /// @notice Seconds between the announcement of a measurement or verifier and its trust.
    uint256 public constant ACTIVATION_DELAY = 2 days;
    /// @notice Greatest age of evidence at registration, in seconds.
    uint256 public constant MAX_EVIDENCE_AGE = 1 days;
    /// @notice How far ahead the deadline of a proof of possession may lie, in seconds.
    uint256 public constant MAX_PROOF_VALIDITY = 1 days;
    /// @notice EIP-712 type that the registered key signs.
    bytes32 public constant POSSESSION_TYPEHASH =
        keccak256("KeyPossession(address signer,bytes32 evidenceHash,uint256 deadline)");

    /// @notice Whether evidence marked debug is accepted. Only ever true on development chains.
    bool public immutable ACCEPTS_DEBUG;
    /// @notice Seconds that a key is active, counted from its evidence's `attestedAt`.
    uint32 public immutable KEY_LIFETIME;

    /// @notice Who checks evidence.
    IAttestationVerifier public verifier;
    /// @notice Verifier announced to follow, zero if none.
    IAttestationVerifier public proposedVerifier;
    /// @notice Unix seconds from which the proposed verifier can be installed.
    uint64 public verifierInstallableAt;

    mapping(bytes32 measurement => Measurement) private _measurements;
    mapping(address signer => Key) private _keys;
    mapping(bytes32 possessionDigest => bool) private _usedProofs;

    /// @notice A key was registered, or its registration renewed.
    event KeyRegistered(address indexed signer, bytes32 indexed measurement, uint64 expiresAt);
    /// @notice A key is out for good.
    event KeyRevoked(address indexed signer);
    /// @notice A measurement is trusted from `activeAt` on.
    event MeasurementAllowed(bytes32 indexed measurement, uint64 activeAt);
    /// @notice A measurement and all keys registered under it are no longer trusted.
    event MeasurementRemoved(bytes32 indexed measurement);
    /// @notice A verifier was announced; the zero address withdraws the announcement.
    event VerifierProposed(address indexed verifier, uint64 installableAt);
    /// @notice A verifier checks evidence from now on.
    event VerifierInstalled(address indexed verifier);

    /// @notice The verifier or a key is the zero address, or the verifier has no code.
    error InvalidAddress(address given);
    /// @notice The key lifetime is zero.
    error ZeroKeyLifetime();
    /// @notice The proof of possession was good until `deadline`, inclusive.
    error ProofExpired(uint256 deadline);
    /// @notice The proof's deadline lies further ahead than `latest`.
    error ProofTooLong(uint256 deadline, uint256 latest);
    /// @notice This registration was made already, maybe by somebody else; see `keyOf`.
    error ProofAlreadyUsed(bytes32 digest);
    /// @notice The proof of possession was signed by another key.
    error WrongPossessionProof(address recovered, address signer);
    /// @notice The key was revoked and can't come back.
    error KeyIsRevoked(address signer);
    /// @notice The evidence comes from a debuggable program.
    error DebugEvidenceRefused();
    /// @notice The evidence is bound to something else.
    error WrongReportData(bytes32 given, bytes32 expected);
    /// @notice The evidence's time must be within `[oldest, newest]`.
    error EvidenceTimeOutOfRange(uint256 attestedAt, uint256 oldest, uint256 newest);
    /// @notice The measurement is trusted from `activeAt` on; 0 means it isn't allowed.
    error MeasurementNotActive(bytes32 measurement, uint256 activeAt);
    /// @notice The measurement is allowed already.
    error MeasurementAlreadyAllowed(bytes32 measurement);
    /// @notice Only the owner or the key itself may revoke it.
    error NotOwnerOrKey(address caller);
    /// @notice No verifier has been proposed.
    error NoVerifierProposed();
    /// @notice The proposed verifier can be installed from then on.
    error VerifierNotInstallableYet(uint256 installableAt);

    /// @param owner Who announces and removes measurements.
    /// @param initialVerifier First verifier.
    /// @param acceptsDebug Whether evidence marked debug counts; only on development chains.
    /// @param keyLifetime Seconds, at least 1. Production: 30 days.
    /// @param measurements Trusted from the start: whoever relies on this registry reads them
    ///        before relying on it, so the deployment itself is their announcement.
    constructor(
        address owner,
        IAttestationVerifier initialVerifier,
        bool acceptsDebug,
        uint32 keyLifetime,
        bytes32[] memory measurements
    ) Ownable(owner) EIP712("EnclaveKeyRegistry", "1") {
        if (acceptsDebug) DevelopmentChains.requireHere();
        if (keyLifetime == 0) revert ZeroKeyLifetime();
        _requireCode(address(initialVerifier));
        ACCEPTS_DEBUG = acceptsDebug;
        KEY_LIFETIME = keyLifetime;
        verifier = initialVerifier;
        emit VerifierInstalled(address(initialVerifier));
        for (uint256 i = 0; i < measurements.length; ++i) {
            _allow(measurements[i], uint64(block.timestamp));
        }
    }

    /// @notice Register an enclave key, or renew it. Anyone may send it.
    /// @param signer The enclave's attestation key.
    /// @param evidence What the verifier understands; its report data must be `reportDataFor(signer)`.
    /// @param deadline Unix seconds, inclusive, at most MAX_PROOF_VALIDITY ahead.
    /// @param proofOfPossession EIP-712 signature by `signer` over `possessionDigest`.
    function register(
        address signer,
        bytes calldata evidence,
        uint256 deadline,
        bytes calldata proofOfPossession
    ) external nonReentrant {
        _checkPossession(signer, evidence, deadline, proofOfPossession);
        if (_keys[signer].revoked) revert KeyIsRevoked(signer);
        Attestation memory attestation = verifier.verify(evidence);
        _checkAttestation(signer, attestation);
        Measurement memory measurement = _measurements[attestation.measurement];
        if (!_isTrusted(measurement)) {
            revert MeasurementNotActive(attestation.measurement, measurement.activeAt);
        }
        uint64 expiresAt = attestation.attestedAt + KEY_LIFETIME;
        _keys[signer] = Key({
            measurement: attestation.measurement,
            expiresAt: expiresAt,
            generation: measurement.generation,
            revoked: false
        });
        emit KeyRegistered(signer, attestation.measurement, expiresAt);
    }

    /// @notice Take a key out for good. The owner may, and whoever holds the key.
    /// @param signer Any key, registered or not.
    function revoke(address signer) external {
        if (msg.sender != owner() && msg.sender != signer) revert NotOwnerOrKey(msg.sender);
        _keys[signer].revoked = true;
        emit KeyRevoked(signer);
    }

    /// @notice Announce a measurement; it is trusted after ACTIVATION_DELAY.
    /// @param measurement As the verifier reports it.
    function allowMeasurement(bytes32 measurement) external onlyOwner {
        _allow(measurement, _afterDelay());
    }

    /// @notice Stop trusting a measurement, and every key registered under it, at once.
    /// @param measurement An allowed measurement.
    function removeMeasurement(bytes32 measurement) external onlyOwner {
        Measurement storage stored = _measurements[measurement];
        if (stored.activeAt == 0) revert MeasurementNotActive(measurement, 0);
        stored.activeAt = 0;
        ++stored.generation;
        emit MeasurementRemoved(measurement);
    }

    /// @notice Announce another verifier; zero withdraws the announcement.
    /// @param newVerifier A contract, or zero.
    function proposeVerifier(IAttestationVerifier newVerifier) external onlyOwner {
        if (address(newVerifier) != address(0)) _requireCode(address(newVerifier));
        proposedVerifier = newVerifier;
        verifierInstallableAt = _afterDelay();
        emit VerifierProposed(address(newVerifier), verifierInstallableAt);
    }

    /// @notice Install the announced verifier once ACTIVATION_DELAY has passed. Anyone may.
    function installVerifier() external {
        IAttestationVerifier next = proposedVerifier;
        if (address(next) == address(0)) revert NoVerifierProposed();
        if (block.timestamp < verifierInstallableAt) {
            revert VerifierNotInstallableYet(verifierInstallableAt);
        }
        verifier = next;
        delete proposedVerifier;
        emit VerifierInstalled(address(next));
    }

    /// @inheritdoc IEnclaveKeyRegistry
    /// @dev A key is only registered while its measurement is trusted, and a removal counts the
    ///      generation up: one comparison covers both a removal and a new allowance after it.
    function isActive(address signer) external view returns (bool) {
        Key memory key = _keys[signer];
        return block.timestamp < key.expiresAt && !key.revoked
            && key.generation == _measurements[key.measurement].generation;
    }

    /// @notice What is stored about a key; whether it counts is for `isActive` to say.
    /// @param signer Any address.
    /// @return measurement Program it was registered for.
    /// @return expiresAt Unix seconds; it is active while block time < expiresAt.
    /// @return revoked Whether it is out for good.
    function keyOf(address signer)
        external
        view
        returns (bytes32 measurement, uint64 expiresAt, bool revoked)
    {
        Key memory key = _keys[signer];
        return (key.measurement, key.expiresAt, key.revoked);
    }

    /// @notice From when on a measurement is trusted, 0 if it isn't allowed.
    /// @param measurement Any measurement.
    /// @return Unix seconds.
    function measurementActiveAt(bytes32 measurement) external view returns (uint64) {
        return _measurements[measurement].activeAt;
    }

    /// @notice What evidence for `signer` must be bound to: this key, chain and registry.
    /// @param signer The enclave's attestation key.
    /// @return The report data (its first 32 bytes, where a quote has 64; the rest is zero).
    function reportDataFor(address signer) public view returns (bytes32) {
        return keccak256(abi.encode("EnclaveKey", block.chainid, address(this), signer));
    }

    /// @notice The digest that `signer` signs to prove that somebody holds it now.
    /// @param signer The enclave's attestation key.
    /// @param evidence The evidence it is registered with.
    /// @param deadline Unix seconds, inclusive.
    /// @return EIP-712 digest for this contract on this chain.
    function possessionDigest(address signer, bytes calldata evidence, uint256 deadline)
        public
        view
        returns (bytes32)
    {
        return _hashTypedDataV4(
            keccak256(abi.encode(POSSESSION_TYPEHASH, signer, keccak256(evidence), deadline))
        );
    }

    function _checkPossession(
        address signer,
        bytes calldata evidence,
        uint256 deadline,
        bytes calldata proof
    ) private {
        if (block.timestamp > deadline) revert ProofExpired(deadline);
        uint256 latest = block.timestamp + MAX_PROOF_VALIDITY;
        if (deadline > latest) revert ProofTooLong(deadline, latest);
        bytes32 digest = possessionDigest(signer, evidence, deadline);
        address recovered = ECDSA.recover(digest, proof);
        if (recovered != signer) revert WrongPossessionProof(recovered, signer);
        // Else anyone could send an earlier registration again and undo a later one.
        if (_usedProofs[digest]) revert ProofAlreadyUsed(digest);
        _usedProofs[digest] = true;
    }

    function _checkAttestation(address signer, Attestation memory attestation) private view {
        if (attestation.debug && !ACCEPTS_DEBUG) revert DebugEvidenceRefused();
        bytes32 expected = reportDataFor(signer);
        if (attestation.reportData != expected) {
            revert WrongReportData(attestation.reportData, expected);
        }
        uint256 oldest = block.timestamp - MAX_EVIDENCE_AGE;
        if (attestation.attestedAt < oldest || attestation.attestedAt > block.timestamp) {
            revert EvidenceTimeOutOfRange(attestation.attestedAt, oldest, block.timestamp);
        }
    }

    function _allow(bytes32 measurement, uint64 activeAt) private {
        if (_measurements[measurement].activeAt != 0) {
            revert MeasurementAlreadyAllowed(measurement);
        }
        _measurements[measurement].activeAt = activeAt;
        emit MeasurementAllowed(measurement, activeAt);
    }

    function _afterDelay() private view returns (uint64) {
        // Block times have 64 bits for longer than the sun.
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint64(block.timestamp + ACTIVATION_DELAY);
    }

    function _isTrusted(Measurement memory measurement) private view returns (bool) {
        return measurement.activeAt != 0 && block.timestamp >= measurement.activeAt;
    }

    function _requireCode(address account) private view {
        if (account.code.length == 0) revert InvalidAddress(account);
    }
}
