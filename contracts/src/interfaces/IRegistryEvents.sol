// SPDX-License-Identifier: MIT
pragma solidity ^0.8.4;

/// @title EnclaveKeyRegistry's events
/// @notice An event announces each addition to a list before it counts. Times are Unix seconds.
interface IRegistryEvents {
    /// @notice A challenge for evidence was issued; it is good for a day from this block's time.
    event ChallengeIssued(bytes32 indexed challenge, address indexed caller);
    /// @notice A key was registered, or its expiry moved.
    event KeyRegistered(
        address indexed signer,
        address indexed operator,
        bytes32 indexed measurement,
        bytes eciesKey,
        uint32 activation,
        uint32 expiry
    );
    /// @notice A key was revoked for good.
    event KeyRevoked(address indexed signer, address indexed by);
    /// @notice Keys can be registered under this operator from `countsFrom` on.
    event OperatorListed(address indexed operator, uint64 countsFrom);
    /// @notice An operator and its keys no longer count.
    event OperatorRemoved(address indexed operator);
    /// @notice Keys can be registered under this measurement from `countsFrom` on.
    event MeasurementAllowed(bytes32 indexed measurement, uint32 generation, uint64 countsFrom);
    /// @notice A measurement and the keys of this allowance no longer count.
    event MeasurementRemoved(bytes32 indexed measurement, uint32 generation);
    /// @notice A verifier was announced; the zero address withdraws the announcement.
    event VerifierProposed(address indexed verifier, uint64 installableAt);
    /// @notice A verifier checks evidence from now on; the zero address means none does.
    event VerifierInstalled(address indexed verifier);
}
