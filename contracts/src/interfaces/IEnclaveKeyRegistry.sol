// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

import {IRegistryErrors} from "./IRegistryErrors.sol";
import {IRegistryEvents} from "./IRegistryEvents.sol";

/// @notice What the registry knows about an enclave's attestation key. Times are Unix seconds.
struct EnclaveKey {
    /// The operator who runs the enclave; zero if the key was never registered.
    address operator;
    /// Its signatures count from then on.
    uint32 activation;
    /// Its signatures count while block time < expiry, unless an intent's deposit came before.
    uint32 expiry;
    /// When it was revoked, 0 if it wasn't.
    uint32 revocation;
    /// The program that holds it, as the verifier reports it.
    bytes32 measurement;
    /// Number of the measurement's allowance, counted over all measurements from 1.
    uint32 generation;
    /// The enclave's own ECIES key, a point of secp256k1.
    uint256 eciesX;
    uint256 eciesY;
}

/// @notice An operator's time on the list. Times are Unix seconds.
struct Operator {
    /// Keys can be registered under it from then on; 0 if it was never listed.
    uint64 listing;
    /// When it was removed, 0 if it wasn't.
    uint64 removal;
}

/// @title Which enclave keys count, for which intents and since when
interface IEnclaveKeyRegistry is IRegistryEvents, IRegistryErrors {
    /// @notice Whether a signature by `signer` counts now: its activation has come, it hasn't
    ///         expired and isn't revoked, its measurement and its operator aren't removed.
    /// @param signer An enclave's attestation key.
    /// @return Whether it does; false for a key that was never registered.
    function isActive(address signer) external view returns (bool);

    /// @notice Whether a signature by `signer` counts for an intent that was picked up at
    ///         `depositTime`: the key is active now, or was then, even if its measurement or
    ///         operator has been removed since. A revocation ends that only with a quorum of one.
    /// @dev With a quorum above one, the caller must check that the operators differ.
    /// @param signer An enclave's attestation key.
    /// @param depositTime Unix seconds, not in the future.
    /// @param quorum How many signatures are needed.
    /// @return counts Whether it does.
    /// @return operator The key's operator; zero if it was never registered.
    function countsFor(address signer, uint256 depositTime, uint256 quorum)
        external
        view
        returns (bool counts, address operator);

    /// @notice Store and return a challenge for evidence, good for a day. Anyone may.
    /// @return challenge Also in the `ChallengeIssued` event.
    function newChallenge() external returns (bytes32 challenge);

    /// @notice Register an enclave's key, or extend the expiry of one that hasn't ended. Anyone may
    ///         send it, with the fee that the quote verifier charges; what it doesn't take is
    ///         returned to the caller.
    /// @param signer The enclave's attestation key.
    /// @param eciesKey The enclave's own ECIES key: 65 bytes, 0x04 ‖ x ‖ y.
    /// @param operator A listed operator.
    /// @param evidence In the verifier's format, bound to `reportDataFor(signer, eciesKey, challenge)`.
    /// @param challenge From `newChallenge`, at most a day ago.
    /// @param deadline Unix seconds, inclusive; this may be sent until then.
    /// @param proofOfPossession 65-byte signature by `signer` over `registrationDigest`.
    /// @param operatorSignature 65-byte signature by `operator` over the same digest.
    function register(
        address signer,
        bytes calldata eciesKey,
        address operator,
        bytes calldata evidence,
        bytes32 challenge,
        uint256 deadline,
        bytes calldata proofOfPossession,
        bytes calldata operatorSignature
    ) external payable;

    /// @notice Revoke a key for good. The owner may revoke any key, an operator its own.
    /// @param signer Any key, registered or not.
    function revoke(address signer) external;

    /// @notice What the evidence for a key must be bound to (the first half of a quote's report
    ///         data; the second is zero).
    /// @param signer The enclave's attestation key.
    /// @param eciesKey The enclave's ECIES key, 65 bytes.
    /// @param challenge A challenge of this registry.
    /// @return keccak256(abi.encode("EnclaveKey", chain id, registry, signer, eciesKey, challenge)),
    ///         "EnclaveKey" as a string and eciesKey as bytes.
    function reportDataFor(address signer, bytes calldata eciesKey, bytes32 challenge)
        external
        view
        returns (bytes32);

    /// @notice What `signer` and `operator` sign: EIP-712, domain "EnclaveKeyRegistry" version "1",
    ///         `Registration(address signer,bytes eciesKey,address operator,bytes32 evidenceHash,
    ///         bytes32 challenge,uint256 deadline)`; evidenceHash is the evidence's keccak256.
    function registrationDigest(
        address signer,
        bytes calldata eciesKey,
        address operator,
        bytes32 evidenceHash,
        bytes32 challenge,
        uint256 deadline
    ) external view returns (bytes32);

    /// @notice An enclave's ECIES key: 65 bytes, empty if `signer` was never registered.
    function eciesKeyOf(address signer) external view returns (bytes memory);

    /// @notice Everything stored about a key; `isActive` and `countsFor` say whether it counts.
    function keyOf(address signer) external view returns (EnclaveKey memory);

    /// @notice An operator's time on the list.
    function operatorOf(address operator) external view returns (Operator memory);

    /// @notice How many operators are listed, announced ones included.
    function operatorCount() external view returns (uint256);

    /// @notice A measurement's allowance: when keys can first be registered under it, and its
    ///         number; zeros if it isn't allowed.
    function measurementOf(bytes32 measurement)
        external
        view
        returns (uint64 countsFrom, uint32 generation);

    /// @notice When an allowance was removed, 0 if it wasn't; Unix seconds.
    function removalOf(uint256 generation) external view returns (uint256);

    /// @notice When a challenge was issued, 0 if it wasn't; Unix seconds.
    function challengeIssuedAt(bytes32 challenge) external view returns (uint256);
}
