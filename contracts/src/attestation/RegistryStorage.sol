// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKey, Operator} from "../interfaces/IEnclaveKeyRegistry.sol";

/// @title The registry's storage that enclaves prove
/// @notice The first base contract, so that its variables have the first slots. The layout is part
///         of the protocol: enclaves read it by storage proofs, and an empty slot means no.
abstract contract RegistryStorage {
    /// @dev Slot 0. In each entry: +0 operator, activation, expiry and revocation from the low bits
    ///      up, +1 measurement, +2 generation, +3 and +4 the ECIES key.
    mapping(address signer => EnclaveKey) internal _keys;
    /// @dev Slot 1: when an allowance was removed, in Unix seconds.
    mapping(uint256 generation => uint256) internal _removals;
    /// @dev Slot 2: listing in the low 64 bits, removal above it.
    mapping(address operator => Operator) internal _operators;
    /// @dev Slot 3: listed operators, announced ones included.
    uint256 internal _operatorCount;
}
