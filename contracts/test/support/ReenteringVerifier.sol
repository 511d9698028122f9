// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Attestation, IAttestationVerifier} from "../../src/interfaces/IAttestationVerifier.sol";

/// @notice A verifier that calls back before it answers.
contract ReenteringVerifier is IAttestationVerifier {
    bytes32 private _measurement;
    bytes32 private _reportData;
    bytes private _call;

    function arm(bytes32 measurement, bytes32 reportData, bytes calldata callback) external {
        (_measurement, _reportData, _call) = (measurement, reportData, callback);
    }

    function quoteDigest(bytes32, bytes32) external pure returns (bytes32) {
        return 0;
    }

    function verify(bytes calldata) external payable returns (Attestation memory) {
        bytes memory callback = _call;
        if (callback.length != 0) {
            delete _call;
            (bool success, bytes memory reason) = msg.sender.call(callback);
            if (!success) {
                assembly ("memory-safe") {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
        return Attestation({measurement: _measurement, reportData: _reportData, debug: true});
    }
}
