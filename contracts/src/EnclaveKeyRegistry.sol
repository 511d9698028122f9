// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {DevelopmentChains} from "./attestation/DevelopmentChains.sol";
import {RegistryLists} from "./attestation/RegistryLists.sol";
import {RegistryStorage} from "./attestation/RegistryStorage.sol";
import {Attestation, IAttestationVerifier} from "./interfaces/IAttestationVerifier.sol";
import {EnclaveKey, IEnclaveKeyRegistry} from "./interfaces/IEnclaveKeyRegistry.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title The enclave keys whose signatures the bridge acts on
/// @notice Anyone may register a key with evidence that a trusted program holds it and with the
///         signature of the listed operator who runs it. The owner decides which programs,
///         operators and verifier are trusted: trust begins after an announced delay and ends at
///         once.
contract EnclaveKeyRegistry is RegistryStorage, RegistryLists, EIP712, ReentrancyGuardTransient {
    /// @notice Delays and key lifetime, in seconds.
    struct Terms {
        /// From a registration's challenge to the key's expiry. Production: 30 days.
        uint32 keyLifetime;
        /// From a key's registration to its activation: time to revoke it before it can sign.
        /// Production: an hour.
        uint32 activationDelay;
        /// From an announcement to its effect. Production: four days.
        uint32 additionDelay;
    }

    /// @notice How long a challenge can be used, in seconds.
    uint256 public constant CHALLENGE_LIFETIME = 1 days;
    /// @notice EIP-712 type that the key and its operator sign.
    bytes32 public constant REGISTRATION_TYPEHASH = keccak256(
        "Registration(address signer,bytes eciesKey,address operator,bytes32 evidenceHash,bytes32 challenge,uint256 deadline)"
    );

    /// @notice Whether evidence marked debug is accepted. Only ever true on development chains.
    bool public immutable ACCEPTS_DEBUG;
    /// @notice Seconds from a registration's challenge to the key's expiry.
    uint32 public immutable KEY_LIFETIME;
    /// @notice Seconds from a key's registration to its activation.
    uint32 public immutable ACTIVATION_DELAY;

    /// @inheritdoc IEnclaveKeyRegistry
    mapping(bytes32 challenge => uint256 issuedAt) public challengeIssuedAt;

    /// @param owner Maintains the lists.
    /// @param firstVerifier Checks evidence from the start.
    /// @param acceptsDebug Whether evidence marked debug counts; only on development chains.
    /// @param terms Delays and lifetime.
    /// @param measurements Trusted from the start.
    /// @param operators Listed from the start.
    constructor(
        address owner,
        IAttestationVerifier firstVerifier,
        bool acceptsDebug,
        Terms memory terms,
        bytes32[] memory measurements,
        address[] memory operators
    )
        Ownable(owner)
        RegistryLists(terms.additionDelay, firstVerifier, measurements, operators)
        EIP712("EnclaveKeyRegistry", "1")
    {
        if (acceptsDebug) DevelopmentChains.requireHere();
        if (terms.keyLifetime <= terms.activationDelay) {
            revert KeyLifetimeTooShort(terms.keyLifetime, terms.activationDelay);
        }
        ACCEPTS_DEBUG = acceptsDebug;
        KEY_LIFETIME = terms.keyLifetime;
        ACTIVATION_DELAY = terms.activationDelay;
    }

    /// @dev Receives the unused part of a verifier's fee; `register` passes it on.
    receive() external payable {
        if (msg.sender != address(verifier)) revert InvalidAddress(msg.sender);
    }

    /// @inheritdoc IEnclaveKeyRegistry
    /// @dev Nobody can know it before the previous block, so evidence bound to it is newer.
    function newChallenge() external returns (bytes32 challenge) {
        challenge = keccak256(abi.encode(blockhash(block.number - 1), block.prevrandao, msg.sender));
        challengeIssuedAt[challenge] = block.timestamp;
        emit ChallengeIssued(challenge, msg.sender);
    }

    /// @inheritdoc IEnclaveKeyRegistry
    /// @dev Signatures are in memory: with all arguments in calldata the stack would be too deep.
    function register(
        address signer,
        bytes calldata eciesKey,
        address operator,
        bytes calldata evidence,
        bytes32 challenge,
        uint256 deadline,
        bytes memory proofOfPossession,
        bytes memory operatorSignature
    ) external payable nonReentrant {
        if (block.timestamp > deadline) {
            revert RegistrationExpired(deadline);
        }
        if (eciesKey.length != 65 || eciesKey[0] != 0x04) revert InvalidEciesKey(eciesKey);
        _checkSignatures(
            registrationDigest(
                signer, eciesKey, operator, keccak256(evidence), challenge, deadline
            ),
            signer,
            proofOfPossession,
            operator,
            operatorSignature
        );
        _requireListed(operator);
        uint32 expiry = _expiryFor(challenge);
        bytes32 reportData = reportDataFor(signer, eciesKey, challenge);
        bytes32 measurement = _measurementIn(evidence, reportData);
        _store(signer, eciesKey, operator, measurement, expiry);
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function revoke(address signer) external {
        EnclaveKey storage key = _keys[signer];
        if (msg.sender != owner() && msg.sender != key.operator) {
            revert NotOwnerOrOperator(msg.sender);
        }
        // A later time would let it count for deposits that came after the first one.
        if (key.revocation != 0) revert AlreadyRevoked(signer);
        key.revocation = SafeCast.toUint32(block.timestamp);
        emit KeyRevoked(signer, msg.sender);
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function isActive(address signer) external view returns (bool) {
        return _isActiveAt(_keys[signer], block.timestamp);
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function countsFor(address signer, uint256 depositTime, uint256 quorum)
        external
        view
        returns (bool counts, address operator)
    {
        EnclaveKey storage key = _keys[signer];
        operator = key.operator;
        if (quorum == 1 && key.revocation != 0) return (false, operator);
        counts = _isActiveAt(key, depositTime) || _isActiveAt(key, block.timestamp);
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function keyOf(address signer) external view returns (EnclaveKey memory) {
        return _keys[signer];
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function eciesKeyOf(address signer) external view returns (bytes memory) {
        EnclaveKey storage key = _keys[signer];
        if (key.operator == address(0)) return "";
        return abi.encodePacked(bytes1(0x04), key.eciesX, key.eciesY);
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function reportDataFor(address signer, bytes calldata eciesKey, bytes32 challenge)
        public
        view
        returns (bytes32)
    {
        return keccak256(
            abi.encode("EnclaveKey", block.chainid, address(this), signer, eciesKey, challenge)
        );
    }

    /// @inheritdoc IEnclaveKeyRegistry
    function registrationDigest(
        address signer,
        bytes calldata eciesKey,
        address operator,
        bytes32 evidenceHash,
        bytes32 challenge,
        uint256 deadline
    ) public view returns (bytes32) {
        return _hashTypedDataV4(
            keccak256(
                abi.encode(
                    REGISTRATION_TYPEHASH,
                    signer,
                    keccak256(eciesKey),
                    operator,
                    evidenceHash,
                    challenge,
                    deadline
                )
            )
        );
    }

    function _checkSignatures(
        bytes32 digest,
        address signer,
        bytes memory proofOfPossession,
        address operator,
        bytes memory operatorSignature
    ) private pure {
        address recovered = ECDSA.recover(digest, proofOfPossession);
        if (recovered != signer) revert WrongPossessionProof(recovered, signer);
        recovered = ECDSA.recover(digest, operatorSignature);
        if (recovered != operator) revert WrongOperatorSignature(recovered, operator);
    }

    /// @dev Counts from the challenge, so sending a registration again changes nothing. A challenge
    ///      that was never issued counts as issued at time 0.
    function _expiryFor(bytes32 challenge) private view returns (uint32) {
        uint256 issuedAt = challengeIssuedAt[challenge];
        if (block.timestamp > issuedAt + CHALLENGE_LIFETIME) {
            revert ChallengeNotGood(challenge, issuedAt);
        }
        return SafeCast.toUint32(issuedAt + KEY_LIFETIME);
    }

    function _measurementIn(bytes calldata evidence, bytes32 expected) private returns (bytes32) {
        IAttestationVerifier by = verifier;
        if (address(by) == address(0)) revert NoVerifier();
        uint256 before = address(this).balance - msg.value;
        Attestation memory attestation = by.verify{value: msg.value}(evidence);
        if (attestation.debug && !ACCEPTS_DEBUG) revert DebugEvidenceRefused();
        if (attestation.reportData != expected) {
            revert WrongReportData(attestation.reportData, expected);
        }
        _giveBack(address(this).balance - before);
        return attestation.measurement;
    }

    function _giveBack(uint256 amount) private {
        if (amount == 0) return;
        (bool taken,) = msg.sender.call{value: amount}("");
        if (!taken) revert RefundRefused(msg.sender, amount);
    }

    function _store(
        address signer,
        bytes calldata eciesKey,
        address operator,
        bytes32 measurement,
        uint32 expiry
    ) private {
        uint32 generation = _requireAllowed(measurement);
        EnclaveKey storage key = _keys[signer];
        if (key.revocation != 0) revert KeyIsRevoked(signer);
        (uint256 x, uint256 y) = abi.decode(eciesKey[1:], (uint256, uint256));
        if (key.operator == address(0)) {
            (key.operator, key.measurement, key.generation) = (operator, measurement, generation);
            (key.eciesX, key.eciesY) = (x, y);
            key.activation = SafeCast.toUint32(block.timestamp + ACTIVATION_DELAY);
        } else {
            // The key's state at earlier deposits must stay readable: it can't be registered again.
            if (block.timestamp >= key.expiry || _removals[key.generation] != 0) {
                revert KeyIsOver(signer);
            }
            bool same = key.operator == operator && key.measurement == measurement
                && key.eciesX == x && key.eciesY == y;
            if (!same) revert RenewalDiffers(signer);
        }
        if (expiry > key.expiry) key.expiry = expiry;
        emit KeyRegistered(signer, operator, measurement, eciesKey, key.activation, key.expiry);
    }

    /// @dev A key is active from its activation until it expires, is revoked, or its measurement's
    ///      allowance or its operator is removed; each of these ends it for good. A key that was
    ///      never registered counts as expired at time 0.
    function _isActiveAt(EnclaveKey storage key, uint256 time) private view returns (bool) {
        return key.activation <= time && time < key.expiry && _isBefore(time, key.revocation)
            && _isBefore(time, _removals[key.generation])
            && _isBefore(time, _operators[key.operator].removal);
    }

    /// @dev Whether `time` is before `end`; 0 means that there is no end.
    function _isBefore(uint256 time, uint256 end) private pure returns (bool) {
        return end == 0 || time < end;
    }
}
