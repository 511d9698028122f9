// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

/// @title Contracts with the code that is deployed
/// @notice Compiled by the default profile, through the compiler's intermediate representation. The
///         tests around them are compiled without the optimizer, in a fraction of the time.
library Deployed {
    Vm private constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @notice Create a contract, or revert as its constructor does.
    /// @param name Of the contract and of its file.
    /// @param arguments Its constructor's, encoded.
    /// @return created Its address.
    function create(string memory name, bytes memory arguments)
        internal
        returns (address payable created)
    {
        bytes memory creationCode = bytes.concat(codeOf(name), arguments);
        assembly ("memory-safe") {
            created := create(0, add(creationCode, 0x20), mload(creationCode))
            if iszero(created) {
                let reason := mload(0x40)
                returndatacopy(reason, 0, returndatasize())
                revert(reason, returndatasize())
            }
        }
    }

    /// @notice Creation code of a contract.
    /// @param name Of the contract and of its file.
    /// @return The code, without constructor arguments.
    function codeOf(string memory name) internal view returns (bytes memory) {
        return VM.getCode(string.concat("contracts/out/", name, ".sol/", name, ".json"));
    }
}
