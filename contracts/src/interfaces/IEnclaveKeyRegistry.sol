// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title What the bridge asks of the registry
interface IEnclaveKeyRegistry {
    /// @notice Whether attestations by `signer` count now.
    /// @param signer An enclave's attestation key.
    /// @return True while it is registered, unexpired, unrevoked and its measurement allowed.
    function isActive(address signer) external view returns (bool);
}
