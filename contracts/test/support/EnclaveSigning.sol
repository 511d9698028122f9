// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {
    Anchor,
    Append,
    NotDelivered,
    Reveal,
    Settlement
} from "../../src/interfaces/BridgeTypes.sol";
import {EnclaveRegistration} from "./EnclaveRegistration.sol";
import {Vm} from "forge-std/Test.sol";

/// @notice What a development enclave's key signs for a bridge.
abstract contract EnclaveSigning is EnclaveRegistration {
    Vm.Wallet internal enclave = vm.createWallet("enclave attestation key");

    function signed(address bridge_, Anchor memory anchor, Vm.Wallet memory by)
        internal
        view
        returns (bytes memory)
    {
        bytes32 typeHash = keccak256(
            "Anchor(uint256 intentId,bytes32 paramsHash,bytes32 blobsHashBefore,uint16 feeBps,uint16 recipientClass,bytes32 blobHash)"
        );
        return sign(by, typedDigest(bridge_, abi.encode(typeHash, anchor)));
    }

    function signed(address bridge_, Append memory append, Vm.Wallet memory by)
        internal
        view
        returns (bytes memory)
    {
        bytes32 typeHash = keccak256(
            "Append(uint256 intentId,bytes32 paramsHash,bytes32 blobsHashBefore,bytes32 blobHash)"
        );
        return sign(by, typedDigest(bridge_, abi.encode(typeHash, append)));
    }

    function signed(address bridge_, Reveal memory reveal, Vm.Wallet memory by)
        internal
        view
        returns (bytes memory)
    {
        bytes32 typeHash = keccak256(
            "Reveal(uint256 intentId,bytes32 paramsHash,bytes32 blobsHash,address solver,uint256 amountB,bytes32 sealedHash)"
        );
        return sign(by, typedDigest(bridge_, abi.encode(typeHash, reveal)));
    }

    function signed(address bridge_, Settlement memory settlement, Vm.Wallet memory by)
        internal
        view
        returns (bytes memory)
    {
        bytes32 typeHash = keccak256(
            "Settlement(uint256 intentId,bytes32 paramsHash,bytes32 blobsHash,address solver,uint256 amountB,uint256 chain2IntentId)"
        );
        return sign(by, typedDigest(bridge_, abi.encode(typeHash, settlement)));
    }

    function signed(address bridge_, NotDelivered memory notDelivered, Vm.Wallet memory by)
        internal
        view
        returns (bytes memory)
    {
        bytes32 typeHash = keccak256(
            "NotDelivered(uint256 intentId,bytes32 paramsHash,bytes32 blobsHash,address solver,uint256 amountB,uint256 fillDeadline)"
        );
        return sign(by, typedDigest(bridge_, abi.encode(typeHash, notDelivered)));
    }

    /// @dev EIP-712, implemented a second time on purpose.
    function typedDigest(address bridge_, bytes memory encoded) internal view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("BridgeIntentV2"),
                keccak256("1"),
                block.chainid,
                bridge_
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(encoded)));
    }

    function only(bytes memory signature) internal pure returns (bytes[] memory signatures) {
        signatures = new bytes[](1);
        signatures[0] = signature;
    }
}
