// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {
    DevelopmentAttestationVerifier
} from "../src/attestation/DevelopmentAttestationVerifier.sol";
import {DevelopmentChains} from "../src/attestation/DevelopmentChains.sol";
import {Attestation} from "../src/interfaces/IAttestationVerifier.sol";
import {Deployed} from "./support/Deployed.sol";
import {EnclaveRegistration} from "./support/EnclaveRegistration.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

contract DevelopmentVerifierTest is EnclaveRegistration {
    bytes32 private constant DATA = keccak256("data");

    DevelopmentAttestationVerifier private verifier;

    function setUp() public {
        vm.chainId(84_532);
        verifier = DevelopmentAttestationVerifier(
            Deployed.create("DevelopmentAttestationVerifier", abi.encode(quoting.addr))
        );
    }

    function test_verify_saysWhatWasSignedAndAlwaysDebug() public {
        Attestation memory attestation = verifier.verify(evidence());
        assertEq(attestation.measurement, MEASUREMENT);
        assertEq(attestation.reportData, DATA);
        assertTrue(attestation.debug);
        assertEq(verifier.QUOTING_KEY(), quoting.addr);
    }

    function test_verify_anotherKey_reverts() public {
        bytes memory signature = sign(operator, verifier.quoteDigest(MEASUREMENT, DATA));
        vm.expectRevert(
            abi.encodeWithSelector(
                DevelopmentAttestationVerifier.NotSignedByQuotingKey.selector,
                operator.addr,
                quoting.addr
            )
        );
        verifier.verify(abi.encode(MEASUREMENT, DATA, signature));
    }

    function test_verify_aSignatureOfAnotherLength_reverts() public {
        vm.expectRevert(abi.encodeWithSelector(ECDSA.ECDSAInvalidSignatureLength.selector, 64));
        verifier.verify(abi.encode(MEASUREMENT, DATA, new bytes(64)));
    }

    function test_verify_aSignaturesOtherForm_reverts() public {
        bytes32 high = bytes32(type(uint256).max);
        bytes memory signature = abi.encodePacked(bytes32(uint256(1)), high, uint8(27));
        vm.expectRevert(abi.encodeWithSelector(ECDSA.ECDSAInvalidSignatureS.selector, high));
        verifier.verify(abi.encode(MEASUREMENT, DATA, signature));
    }

    function test_verify_noFieldCanBeChanged() public {
        bytes memory signature = sign(quoting, verifier.quoteDigest(MEASUREMENT, DATA));
        expectAnotherSigner(abi.encode(DATA, DATA, signature));
        expectAnotherSigner(abi.encode(MEASUREMENT, MEASUREMENT, signature));
    }

    function test_quoteDigest_isDocumented() public view {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("DevelopmentAttestationVerifier"),
                keccak256("1"),
                block.chainid,
                address(verifier)
            )
        );
        bytes32 quote = keccak256(
            abi.encode(
                keccak256("DevelopmentQuote(bytes32 measurement,bytes32 reportData)"),
                MEASUREMENT,
                DATA
            )
        );
        assertEq(
            verifier.quoteDigest(MEASUREMENT, DATA),
            keccak256(abi.encodePacked(hex"1901", domain, quote))
        );
    }

    function test_verify_takesNoMoney() public {
        bytes memory signed = evidence();
        vm.deal(address(this), 1);
        vm.expectRevert(
            abi.encodeWithSelector(DevelopmentAttestationVerifier.NoFeeCharged.selector, 1)
        );
        verifier.verify{value: 1}(signed);
    }

    function test_constructor_onlyOnDevelopmentChains() public {
        uint256[7] memory development =
            [uint256(31_337), 84_532, 2_651_420, 80_002, 11_155_111, 11_155_420, 1_918_988_905];
        for (uint256 i = 0; i < development.length; ++i) {
            vm.chainId(development[i]);
            DevelopmentAttestationVerifier(
                Deployed.create("DevelopmentAttestationVerifier", abi.encode(quoting.addr))
            );
        }
        uint256[7] memory real = [uint256(1), 10, 137, 8453, 26_514, 1_380_012_617, 31_338];
        for (uint256 i = 0; i < real.length; ++i) {
            vm.chainId(real[i]);
            vm.expectRevert(
                abi.encodeWithSelector(DevelopmentChains.NotADevelopmentChain.selector, real[i])
            );
            DevelopmentAttestationVerifier(
                Deployed.create("DevelopmentAttestationVerifier", abi.encode(quoting.addr))
            );
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
        DevelopmentAttestationVerifier(
            Deployed.create("DevelopmentAttestationVerifier", abi.encode(address(0)))
        );
    }

    function evidence() private view returns (bytes memory) {
        return evidenceOf(verifier, MEASUREMENT, DATA);
    }

    function expectAnotherSigner(bytes memory changed) private {
        vm.expectPartialRevert(DevelopmentAttestationVerifier.NotSignedByQuotingKey.selector);
        verifier.verify(changed);
    }
}
