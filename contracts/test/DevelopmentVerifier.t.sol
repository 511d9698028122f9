// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {
    DevelopmentAttestationVerifier
} from "../src/attestation/DevelopmentAttestationVerifier.sol";
import {DevelopmentChains} from "../src/attestation/DevelopmentChains.sol";
import {Attestation} from "../src/interfaces/IAttestationVerifier.sol";
import {EnclaveSigning} from "./support/EnclaveSigning.sol";

contract DevelopmentVerifierTest is EnclaveSigning {
    bytes32 private constant PROGRAM = keccak256("program");
    bytes32 private constant DATA = keccak256("data");

    DevelopmentAttestationVerifier private verifier;

    function setUp() public {
        vm.chainId(84_532);
        verifier = new DevelopmentAttestationVerifier(quoting.addr);
    }

    function test_verify_saysWhatWasSignedAndAlwaysDebug() public view {
        Attestation memory attestation = verifier.verify(evidence());
        assertEq(attestation.measurement, PROGRAM);
        assertEq(attestation.reportData, DATA);
        assertEq(attestation.attestedAt, 77);
        assertTrue(attestation.debug);
        assertEq(verifier.QUOTING_KEY(), quoting.addr);
    }

    function test_verify_anotherKey_reverts() public {
        bytes memory signature = sign(enclave, verifier.quoteDigest(PROGRAM, DATA, 77));
        vm.expectRevert(
            abi.encodeWithSelector(
                DevelopmentAttestationVerifier.NotSignedByQuotingKey.selector,
                enclave.addr,
                quoting.addr
            )
        );
        verifier.verify(abi.encode(PROGRAM, DATA, uint64(77), signature));
    }

    function test_verify_noFieldCanBeChanged() public {
        bytes memory signature = sign(quoting, verifier.quoteDigest(PROGRAM, DATA, 77));
        expectAnotherSigner(abi.encode(DATA, DATA, uint64(77), signature));
        expectAnotherSigner(abi.encode(PROGRAM, PROGRAM, uint64(77), signature));
        expectAnotherSigner(abi.encode(PROGRAM, DATA, uint64(78), signature));
    }

    function test_constructor_onlyOnDevelopmentChains() public {
        uint256[7] memory development =
            [uint256(31_337), 84_532, 2_651_420, 80_002, 11_155_111, 11_155_420, 1_918_988_905];
        for (uint256 i = 0; i < development.length; ++i) {
            vm.chainId(development[i]);
            new DevelopmentAttestationVerifier(quoting.addr);
        }
        uint256[7] memory real = [uint256(1), 10, 137, 8453, 26_514, 1_380_012_617, 31_338];
        for (uint256 i = 0; i < real.length; ++i) {
            vm.chainId(real[i]);
            vm.expectRevert(
                abi.encodeWithSelector(DevelopmentChains.NotADevelopmentChain.selector, real[i])
            );
            new DevelopmentAttestationVerifier(quoting.addr);
        }
    }

    function test_verify_refusesAChainThatForkedAway() public {
        bytes memory signed = evidence();
        vm.chainId(1);
        vm.expectRevert(abi.encodeWithSelector(DevelopmentChains.NotADevelopmentChain.selector, 1));
        verifier.verify(signed);
    }

    function test_constructor_needsAQuotingKey() public {
        vm.expectRevert(DevelopmentAttestationVerifier.QuotingKeyRequired.selector);
        new DevelopmentAttestationVerifier(address(0));
    }

    function evidence() private view returns (bytes memory) {
        return evidenceOf(verifier, PROGRAM, DATA, 77);
    }

    function expectAnotherSigner(bytes memory changed) private {
        vm.expectPartialRevert(DevelopmentAttestationVerifier.NotSignedByQuotingKey.selector);
        verifier.verify(changed);
    }
}
