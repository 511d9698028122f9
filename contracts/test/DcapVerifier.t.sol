// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../src/EnclaveKeyRegistry.sol";
import {DcapAttestationVerifier} from "../src/attestation/DcapAttestationVerifier.sol";
import {DcapOutput} from "../src/attestation/DcapOutput.sol";
import {IDcapAttestation} from "../src/attestation/IDcapAttestation.sol";
import {Attestation} from "../src/interfaces/IAttestationVerifier.sol";
import {BridgeFixture} from "./support/BridgeFixture.sol";

/// @notice A public verifier whose answers are written by the test, in the real byte layouts.
contract ScriptedDcap is IDcapAttestation {
    bytes private _expectedQuote;
    bool private _success;
    bytes private _output;

    function answer(bytes calldata quote, bool success, bytes calldata output) external {
        (_expectedQuote, _success, _output) = (quote, success, output);
    }

    function verifyAndAttestOnChain(bytes calldata rawQuote)
        external
        payable
        returns (bool, bytes memory)
    {
        require(keccak256(rawQuote) == keccak256(_expectedQuote), "another quote");
        return (_success, _output);
    }
}

contract DcapVerifierTest is BridgeFixture {
    bytes private constant QUOTE = "raw quote";
    bytes32 private constant DATA = keccak256("report data");

    ScriptedDcap private dcap;
    DcapAttestationVerifier private adapter;

    function setUp() public override {
        super.setUp();
        dcap = new ScriptedDcap();
        adapter = new DcapAttestationVerifier(dcap);
    }

    function test_verify_tdx_ofEachLayout() public {
        bytes memory body = tdReport(584, DATA, 0);
        bytes32 measurement = keccak256(abi.encodePacked("TDX", slice(body, 120, 520)));
        assertReport(bytes.concat(head10(4, 0x81000000, 0), body), measurement, false);
        assertReport(bytes.concat(head11(4, 2, 0), body, advisories()), measurement, false);
        bytes memory longer = tdReport(648, DATA, 0);
        assertReport(bytes.concat(head11(5, 3, 0), longer), measurement, false);
    }

    function test_verify_sgx_ofEachLayout() public {
        bytes memory body = enclaveReport(DATA, 0);
        bytes32 measurement = keccak256(
            abi.encodePacked(
                "SGX", slice(body, 64, 96), slice(body, 128, 160), slice(body, 256, 260)
            )
        );
        assertReport(bytes.concat(head10(3, 0, 0), body), measurement, false);
        assertReport(bytes.concat(head11(3, 1, 0), body, advisories()), measurement, false);
    }

    function test_verify_debugBits() public {
        bytes memory td = tdReport(584, DATA, 0);
        td[120] = 0x01;
        assertTrue(verifyOutput(bytes.concat(head11(4, 2, 0), td)).debug);
        td[120] = 0x02;
        assertFalse(verifyOutput(bytes.concat(head11(4, 2, 0), td)).debug);
        bytes memory sgx = enclaveReport(DATA, 0);
        sgx[48] = 0x02;
        assertTrue(verifyOutput(bytes.concat(head11(3, 1, 0), sgx)).debug);
        sgx[48] = 0x05;
        assertFalse(verifyOutput(bytes.concat(head11(3, 1, 0), sgx)).debug);
    }

    /// @dev Everything from the TD attributes to RTMR3 is in the measurement, nothing before it.
    function test_measurement_coversWhatIdentifiesATd() public {
        bytes memory body = tdReport(584, DATA, 0);
        bytes32 plain = verifyOutput(bytes.concat(head11(4, 2, 0), body)).measurement;
        uint256[8] memory positions = [uint256(0), 119, 120, 128, 136, 327, 328, 519];
        for (uint256 i = 0; i < positions.length; ++i) {
            uint256 position = positions[i];
            body[position] ^= 0x80;
            bytes32 changed = verifyOutput(bytes.concat(head11(4, 2, 0), body)).measurement;
            assertEq(plain == changed, position < 120);
            body[position] ^= 0x80;
        }
    }

    /// @dev What identifies an enclave is in the measurement, the rest of its report isn't.
    function test_measurement_coversWhatIdentifiesAnEnclave() public {
        bytes memory body = enclaveReport(DATA, 0);
        bytes32 plain = verifyOutput(bytes.concat(head11(3, 1, 0), body)).measurement;
        uint256[12] memory positions =
            [uint256(0), 63, 64, 95, 96, 127, 128, 159, 160, 256, 259, 260];
        for (uint256 i = 0; i < positions.length; ++i) {
            uint256 at = positions[i];
            bool identifies =
                (at >= 64 && at < 96) || (at >= 128 && at < 160) || (at >= 256 && at < 260);
            body[at] ^= 0x80;
            bytes32 changed = verifyOutput(bytes.concat(head11(3, 1, 0), body)).measurement;
            assertEq(plain == changed, !identifies);
            body[at] ^= 0x80;
        }
    }

    function test_verify_softwareHardeningIsTheWorstAcceptedStatus() public {
        bytes memory body = tdReport(584, DATA, 0);
        assertEq(verifyOutput(bytes.concat(head11(4, 2, 1), body)).reportData, DATA);
        assertEq(verifyOutput(bytes.concat(head10(4, 0x81000000, 1), body)).reportData, DATA);
        for (uint8 status = 2; status < 8; ++status) {
            bytes memory reason = abi.encodeWithSelector(
                DcapAttestationVerifier.PlatformOutOfDate.selector, status, 1
            );
            expectRefusal(bytes.concat(head11(4, 2, status), body), reason);
            expectRefusal(bytes.concat(head10(4, 0x81000000, status), body), reason);
        }
    }

    function test_verify_refusedQuote_reverts() public {
        dcap.answer(QUOTE, false, "TCBR");
        vm.expectRevert(
            abi.encodeWithSelector(DcapAttestationVerifier.QuoteRefused.selector, bytes("TCBR"))
        );
        adapter.verify(QUOTE);
    }

    function test_verify_reportDataTail_reverts() public {
        bytes32 tail = bytes32(uint256(1));
        bytes memory reason =
            abi.encodeWithSelector(DcapAttestationVerifier.ReportDataTailNotZero.selector, tail);
        expectRefusal(bytes.concat(head11(4, 2, 0), tdReport(584, DATA, tail)), reason);
        expectRefusal(bytes.concat(head11(3, 1, 0), enclaveReport(DATA, tail)), reason);
    }

    function test_verify_unknownLayout_reverts() public {
        expectRefusal(
            bytes.concat(head11(4, 4, 0), tdReport(648, DATA, 0)),
            abi.encodeWithSelector(DcapOutput.UnknownDcapLayout.selector, bytes4(0x00040004))
        );
    }

    function test_verify_shortOutput_reverts() public {
        expectShort(hex"000400", 4);
        expectShort(cut(bytes.concat(head11(4, 2, 0), tdReport(584, DATA, 0))), 595);
        expectShort(cut(bytes.concat(head11(5, 3, 0), tdReport(648, DATA, 0))), 659);
        expectShort(cut(bytes.concat(head11(3, 1, 0), enclaveReport(DATA, 0))), 395);
        expectShort(cut(bytes.concat(head10(4, 0x81000000, 0), tdReport(584, DATA, 0))), 597);
        expectShort(cut(bytes.concat(head10(3, 0, 0), enclaveReport(DATA, 0))), 397);
    }

    function test_constructor_needsAContract() public {
        vm.expectRevert(
            abi.encodeWithSelector(DcapAttestationVerifier.NotAVerifier.selector, anyone)
        );
        new DcapAttestationVerifier(IDcapAttestation(anyone));
    }

    /// @dev The whole way: quote, adapter, registry on a mainnet, active key.
    function test_register_withATdxQuote() public {
        vm.chainId(8453);
        bytes32[] memory measurements = new bytes32[](1);
        bytes memory body = tdReport(584, DATA, 0);
        measurements[0] = keccak256(abi.encodePacked("TDX", slice(body, 120, 520)));
        EnclaveKeyRegistry real =
            new EnclaveKeyRegistry(owner, adapter, false, KEY_LIFETIME, measurements);
        body = tdReport(584, real.reportDataFor(enclave.addr), 0);
        dcap.answer(QUOTE, true, bytes.concat(head11(4, 2, 0), body));
        uint256 deadline = block.timestamp + 1;
        bytes memory proof = sign(enclave, real.possessionDigest(enclave.addr, QUOTE, deadline));
        real.register(enclave.addr, QUOTE, deadline, proof);
        assertTrue(real.isActive(enclave.addr));
    }

    function assertReport(bytes memory output, bytes32 measurement, bool debug) private {
        Attestation memory attestation = verifyOutput(output);
        assertEq(attestation.measurement, measurement);
        assertEq(attestation.reportData, DATA);
        assertEq(attestation.attestedAt, block.timestamp);
        assertEq(attestation.debug, debug);
    }

    function verifyOutput(bytes memory output) private returns (Attestation memory) {
        dcap.answer(QUOTE, true, output);
        return adapter.verify(QUOTE);
    }

    function expectRefusal(bytes memory output, bytes memory reason) private {
        dcap.answer(QUOTE, true, output);
        vm.expectRevert(reason);
        adapter.verify(QUOTE);
    }

    function expectShort(bytes memory output, uint256 expected) private {
        expectRefusal(
            output,
            abi.encodeWithSelector(DcapOutput.DcapOutputTooShort.selector, output.length, expected)
        );
    }

    function head10(uint16 version, uint32 tee, uint8 status) private pure returns (bytes memory) {
        return abi.encodePacked(version, tee, status, bytes6("fmspc"));
    }

    function head11(uint16 version, uint16 kind, uint8 status) private pure returns (bytes memory) {
        return abi.encodePacked(version, kind, status, bytes6("fmspc"));
    }

    function advisories() private pure returns (bytes memory) {
        string[] memory ids = new string[](1);
        ids[0] = "INTEL-SA-00837";
        return abi.encode(ids);
    }

    /// @dev A TD report whose bytes are all different from their neighbours, DEBUG off.
    function tdReport(uint256 length, bytes32 data, bytes32 tail)
        private
        pure
        returns (bytes memory)
    {
        return reportWith(length, 120, 520, data, tail);
    }

    function enclaveReport(bytes32 data, bytes32 tail) private pure returns (bytes memory) {
        return reportWith(384, 48, 320, data, tail);
    }

    function reportWith(
        uint256 length,
        uint256 attributesAt,
        uint256 dataAt,
        bytes32 data,
        bytes32 tail
    ) private pure returns (bytes memory body) {
        body = new bytes(length);
        for (uint256 i = 0; i < length; ++i) {
            body[i] = bytes1(uint8(i % 251));
        }
        body[attributesAt] = 0;
        for (uint256 i = 0; i < 32; ++i) {
            (body[dataAt + i], body[dataAt + 32 + i]) = (data[i], tail[i]);
        }
    }

    function slice(bytes memory from, uint256 start, uint256 end)
        private
        pure
        returns (bytes memory part)
    {
        part = new bytes(end - start);
        for (uint256 i = start; i < end; ++i) {
            part[i - start] = from[i];
        }
    }

    function cut(bytes memory output) private pure returns (bytes memory) {
        return slice(output, 0, output.length - 1);
    }
}
