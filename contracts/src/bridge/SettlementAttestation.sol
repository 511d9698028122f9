// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Settlement} from "../interfaces/BridgeTypes.sol";
import {IBridgeErrors} from "../interfaces/IBridgeErrors.sol";
import {IEnclaveKeyRegistry} from "../interfaces/IEnclaveKeyRegistry.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title Whose word settles an intent
/// @notice An EIP-712 signature for this contract on this chain by a key that the registry calls
///         active at the time of settlement.
abstract contract SettlementAttestation is EIP712, IBridgeErrors {
    /// @notice EIP-712 type of what the enclave signs.
    bytes32 public constant SETTLEMENT_TYPEHASH = keccak256(
        "Settlement(uint256 intentId,address solver,uint256 destChainId,uint256 chain2IntentId,bytes32 solveTxHash,uint256 amountB,uint16 feeBps,uint256 deadline)"
    );

    /// @notice Where enclave keys are looked up. Fixed for the life of the bridge.
    IEnclaveKeyRegistry public immutable REGISTRY;

    constructor(address registry) EIP712("BridgeIntentV2", "1") {
        if (registry == address(0)) revert ZeroAddress();
        REGISTRY = IEnclaveKeyRegistry(registry);
    }

    function _digest(Settlement calldata settlement) internal view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(SETTLEMENT_TYPEHASH, settlement)));
    }

    /// @dev The active enclave key that signed, or revert.
    function _attesterOf(Settlement calldata settlement, bytes calldata signature)
        internal
        view
        returns (address attester)
    {
        if (block.timestamp > settlement.deadline) {
            revert AttestationExpired(settlement.deadline);
        }
        attester = ECDSA.recover(_digest(settlement), signature);
        if (!REGISTRY.isActive(attester)) revert AttesterNotActive(attester);
    }
}
