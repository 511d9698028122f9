// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The chains on which development attestation may be used
/// @notice A compile-time list: no configuration can bring a software enclave to a mainnet.
library DevelopmentChains {
    /// @notice The chain is not a development chain.
    error NotADevelopmentChain(uint256 chainId);

    /// @notice Whether a chain is a local network or a public test network that the protocol names.
    /// @param chainId Any chain.
    /// @return True for anvil's default and the protocol's testnets.
    function includes(uint256 chainId) internal pure returns (bool) {
        return chainId == 31_337 // anvil
            || chainId == 84_532 // base_sepolia
            || chainId == 2_651_420 // horizen_testnet
            || chainId == 80_002 // polygon_amoy
            || chainId == 11_155_111 // ethereum_sepolia
            || chainId == 11_155_420 // optimism_sepolia
            || chainId == 1_918_988_905; // rari_testnet
    }

    /// @notice Revert on any other chain.
    function requireHere() internal view {
        if (!includes(block.chainid)) revert NotADevelopmentChain(block.chainid);
    }
}
