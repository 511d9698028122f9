// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Attestation, IAttestationVerifier} from "../interfaces/IAttestationVerifier.sol";
import {DevelopmentChains} from "./DevelopmentChains.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title Attestation without hardware, for local and test networks
/// @notice A development quoting key stands in for the processor and signs the evidence. That
///         proves nothing about hardware isolation, so such evidence is always marked debug.
/// @dev Evidence is `abi.encode(bytes32 measurement, bytes32 reportData, bytes signature)`, the
///      signature by EIP-712 over `DevelopmentQuote`.
contract DevelopmentAttestationVerifier is IAttestationVerifier, EIP712 {
    /// @notice EIP-712 type that the quoting key signs.
    bytes32 public constant QUOTE_TYPEHASH =
        keccak256("DevelopmentQuote(bytes32 measurement,bytes32 reportData)");

    /// @notice The key that stands in for the processor.
    address public immutable QUOTING_KEY;

    /// @notice The quoting key is the zero address.
    error QuotingKeyRequired();
    /// @notice This verifier charges nothing, so no ether may be sent.
    error NoFeeCharged(uint256 sent);
    /// @notice The evidence was signed by another key.
    error NotSignedByQuotingKey(address signer, address quotingKey);

    /// @param quotingKey Address of the development quoting key.
    constructor(address quotingKey) EIP712("DevelopmentAttestationVerifier", "1") {
        DevelopmentChains.requireHere();
        if (quotingKey == address(0)) revert QuotingKeyRequired();
        QUOTING_KEY = quotingKey;
    }

    /// @inheritdoc IAttestationVerifier
    function verify(bytes calldata evidence) external payable returns (Attestation memory) {
        DevelopmentChains.requireHere();
        if (msg.value != 0) revert NoFeeCharged(msg.value);
        (bytes32 measurement, bytes32 reportData, bytes memory signature) =
            abi.decode(evidence, (bytes32, bytes32, bytes));
        bytes32 digest = quoteDigest(measurement, reportData);
        address signer = ECDSA.recover(digest, signature);
        if (signer != QUOTING_KEY) revert NotSignedByQuotingKey(signer, QUOTING_KEY);
        return Attestation({measurement: measurement, reportData: reportData, debug: true});
    }

    /// @notice The digest that the quoting key signs.
    /// @param measurement Identity of the program.
    /// @param reportData What the evidence is bound to.
    /// @return EIP-712 digest for this contract on this chain.
    function quoteDigest(bytes32 measurement, bytes32 reportData) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(QUOTE_TYPEHASH, measurement, reportData)));
    }
}
