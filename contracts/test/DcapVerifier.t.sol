// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnclaveKeyRegistry} from "../src/EnclaveKeyRegistry.sol";
import {DcapAttestationVerifier} from "../src/attestation/DcapAttestationVerifier.sol";
import {DcapOutput} from "../src/attestation/DcapOutput.sol";
import {IDcapAttestation} from "../src/attestation/IDcapAttestation.sol";
import {Attestation} from "../src/interfaces/IAttestationVerifier.sol";
import {IRegistryErrors} from "../src/interfaces/IRegistryErrors.sol";
import {Deployed} from "./support/Deployed.sol";
import {EnclaveRegistration} from "./support/EnclaveRegistration.sol";
import {PublicQuoteVerifier} from "./support/PublicQuoteVerifier.sol";
import {RecordedQuotes} from "./support/RecordedQuotes.sol";
import {Vm} from "forge-std/Test.sol";

contract DcapVerifierTest is EnclaveRegistration {
    bytes private constant QUOTE = "raw quote";
    bytes32 private constant DATA = keccak256("report data");
    uint256 private constant FEE = 0.01 ether;

    Vm.Wallet private key = vm.createWallet("enclave attestation key");
    address private payer = makeAddr("payer");
    PublicQuoteVerifier private dcap;
    DcapAttestationVerifier private adapter;

    function setUp() public {
        vm.warp(1_800_000_000);
        dcap = new PublicQuoteVerifier();
        adapter =
            DcapAttestationVerifier(Deployed.create("DcapAttestationVerifier", abi.encode(dcap)));
        vm.deal(payer, 1 ether);
    }

    /// @dev The deployed verifier's real answer for a TD on real hardware.
    function test_verify_recordedOutput() public {
        bytes memory output = RecordedQuotes.OUTPUT_TD_10;
        dcap.answer(QUOTE, true, output);
        // Its report data has a second half, which Cairn's enclaves leave empty.
        bytes32 tail = bytes32(slice(output, 13 + 552, 13 + 584));
        vm.expectRevert(
            abi.encodeWithSelector(DcapAttestationVerifier.ReportDataTailNotZero.selector, tail)
        );
        adapter.verify(QUOTE);

        DcapOutput.Report memory report = adapter.parseOutput(output);
        assertEq(report.measurement, keccak256(bytes.concat("TDX", slice(output, 133, 533))));
        assertEq(report.reportData, bytes32(slice(output, 533, 565)));
        assertEq(report.reportDataTail, tail);
        assertEq(report.tcbStatus, 0);
        assertFalse(report.debug);
        assertFalse(report.migratable);
        assertEq(report.serviceHash, 0);

        assertReport(withoutTail(output, 13), report.measurement, report.reportData, false);
    }

    /// @dev A TD of a public cloud, to which the cloud has bound a service TD.
    function test_verify_recordedBody_boundToAServiceTd_reverts() public {
        bytes memory output = bytes.concat(head11(5, 3, 0), RecordedQuotes.BODY_TD_15);
        bytes32 hash = keccak256(slice(output, 11 + 600, 11 + 648));
        expectRefusal(
            output,
            abi.encodeWithSelector(DcapAttestationVerifier.ServiceProgramBound.selector, hash)
        );
        for (uint256 i = 600; i < 648; ++i) {
            output[11 + i] = 0;
        }
        assertReport(
            withoutTail(output, 11),
            keccak256(bytes.concat("TDX", slice(output, 131, 531))),
            bytes32(slice(output, 531, 563)),
            false
        );
    }

    function test_verify_anyByteOfTheServiceHash_reverts() public {
        bytes memory body = tdReport(648, DATA, 0);
        for (uint256 i = 600; i < 648; ++i) {
            body[i] = 0x01;
            bytes32 hash = keccak256(slice(body, 600, 648));
            expectRefusal(
                bytes.concat(head11(5, 3, 0), body),
                abi.encodeWithSelector(DcapAttestationVerifier.ServiceProgramBound.selector, hash)
            );
            body[i] = 0;
        }
        // The module's second version comes before it.
        body[599] = 0xff;
        verifyOutput(bytes.concat(head11(5, 3, 0), body));
    }

    function test_verify_migratable_reverts() public {
        bytes memory body = tdReport(584, DATA, 0);
        body[123] = 0x30;
        bytes memory reason =
            abi.encodeWithSelector(DcapAttestationVerifier.MigratableProgram.selector);
        expectRefusal(bytes.concat(head11(4, 2, 0), body), reason);
        expectRefusal(bytes.concat(head10(4, 0x81000000, 0), body), reason);
        // The bits next to it: SEPT_VE_DISABLE and PKS.
        body[123] = 0x50;
        verifyOutput(bytes.concat(head11(4, 2, 0), body));
    }

    function test_verify_tdx_ofEachLayout() public {
        bytes memory body = tdReport(584, DATA, 0);
        bytes32 measurement = keccak256(bytes.concat("TDX", slice(body, 120, 520)));
        assertReport(bytes.concat(head10(4, 0x81000000, 0), body), measurement, DATA, false);
        assertReport(bytes.concat(head11(4, 2, 0), body, advisories()), measurement, DATA, false);
        bytes memory longer = tdReport(648, DATA, 0);
        assertReport(bytes.concat(head11(5, 3, 0), longer), measurement, DATA, false);
    }

    function test_verify_sgx_ofEachLayout() public {
        bytes memory body = enclaveReport(DATA, 0);
        bytes32 measurement = keccak256(
            bytes.concat("SGX", slice(body, 64, 96), slice(body, 128, 160), slice(body, 192, 262))
        );
        assertReport(bytes.concat(head10(3, 0, 0), body), measurement, DATA, false);
        assertReport(bytes.concat(head11(3, 1, 0), body, advisories()), measurement, DATA, false);
    }

    /// @dev Any bit of a TD's first attribute byte opens it to its host: debugging and profiling.
    function test_verify_debugBits() public {
        bytes memory td = tdReport(584, DATA, 0);
        for (uint256 bit = 0; bit < 8; ++bit) {
            td[120] = bytes1(uint8(1 << bit));
            assertTrue(verifyOutput(bytes.concat(head11(4, 2, 0), td)).debug);
        }
        bytes memory sgx = enclaveReport(DATA, 0);
        sgx[48] = 0x02;
        assertTrue(verifyOutput(bytes.concat(head11(3, 1, 0), sgx)).debug);
        sgx[48] = 0x05;
        assertFalse(verifyOutput(bytes.concat(head11(3, 1, 0), sgx)).debug);
    }

    /// @dev The measurement covers everything from the TD attributes to RTMR3, and nothing else.
    function test_measurement_coversWhatIdentifiesATd() public {
        bytes memory body = tdReport(584, DATA, 0);
        bytes32 plain = verifyOutput(bytes.concat(head11(4, 2, 0), body)).measurement;
        uint256[9] memory positions = [uint256(0), 119, 120, 128, 136, 327, 328, 519, 520];
        for (uint256 i = 0; i < positions.length; ++i) {
            uint256 position = positions[i];
            body[position] ^= 0x80;
            bytes32 changed = verifyOutput(bytes.concat(head11(4, 2, 0), body)).measurement;
            assertEq(plain == changed, position < 120 || position >= 520);
            body[position] ^= 0x80;
        }
    }

    /// @dev The measurement covers an enclave's identity and configuration, and nothing else.
    function test_measurement_coversWhatIdentifiesAnEnclave() public {
        bytes memory body = enclaveReport(DATA, 0);
        bytes32 plain = verifyOutput(bytes.concat(head11(3, 1, 0), body)).measurement;
        uint256[14] memory positions =
            [uint256(0), 63, 64, 95, 96, 127, 128, 159, 160, 191, 192, 256, 261, 262];
        for (uint256 i = 0; i < positions.length; ++i) {
            uint256 at = positions[i];
            bool identifies =
                (at >= 64 && at < 96) || (at >= 128 && at < 160) || (at >= 192 && at < 262);
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
        for (uint8 status = 2; status < 10; ++status) {
            bytes memory reason = abi.encodeWithSelector(
                DcapAttestationVerifier.PlatformOutOfDate.selector, status, 1
            );
            expectRefusal(bytes.concat(head11(4, 2, status), body), reason);
            expectRefusal(bytes.concat(head10(4, 0x81000000, status), body), reason);
            expectRefusal(bytes.concat(head11(3, 1, status), enclaveReport(DATA, 0)), reason);
            expectRefusal(bytes.concat(head10(3, 0, status), enclaveReport(DATA, 0)), reason);
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
            abi.encodeWithSelector(DcapAttestationVerifier.NotAVerifier.selector, payer)
        );
        DcapAttestationVerifier(
            Deployed.create("DcapAttestationVerifier", abi.encode(IDcapAttestation(payer)))
        );
    }

    /// @dev The public verifier gets exactly its fee, whomever it returns the rest to.
    function test_verify_forwardsTheFee() public {
        dcap.answer(QUOTE, true, bytes.concat(head11(4, 2, 0), tdReport(584, DATA, 0)));
        dcap.charge(FEE, false);
        vm.startPrank(payer, payer);
        adapter.verify{value: FEE}(QUOTE);
        adapter.verify{value: 3 * FEE}(QUOTE);
        assertEq(payer.balance, 1 ether - 2 * FEE);
        dcap.charge(FEE, true);
        adapter.verify{value: 3 * FEE}(QUOTE);
        assertEq(payer.balance, 1 ether - 3 * FEE);
        assertEq(address(dcap).balance, 3 * FEE);
        assertEq(address(adapter).balance, 0);
        vm.expectRevert(abi.encodeWithSelector(PublicQuoteVerifier.InsufficientFee.selector, FEE));
        adapter.verify{value: FEE - 1}(QUOTE);
    }

    /// @dev Ether that somebody forced in stays: a caller gets back only its own.
    function test_verify_strayMoneyIsNobodys() public {
        dcap.answer(QUOTE, true, bytes.concat(head11(4, 2, 0), tdReport(584, DATA, 0)));
        dcap.charge(FEE, true);
        vm.deal(address(adapter), 5);
        vm.prank(payer);
        adapter.verify{value: 2 * FEE}(QUOTE);
        assertEq(address(adapter).balance, 5);
        assertEq(payer.balance, 1 ether - FEE);
    }

    function test_verify_callerThatTakesNothingBack_reverts() public {
        dcap.answer(QUOTE, true, bytes.concat(head11(4, 2, 0), tdReport(584, DATA, 0)));
        dcap.charge(FEE, true);
        vm.expectRevert(
            abi.encodeWithSelector(
                DcapAttestationVerifier.RefundRefused.selector, address(this), FEE
            )
        );
        adapter.verify{value: 2 * FEE}(QUOTE);
    }

    function test_receive_onlyFromThePublicVerifier() public {
        vm.prank(payer);
        (bool taken, bytes memory reason) = address(adapter).call{value: 1}("");
        assertFalse(taken);
        assertEq(
            reason,
            abi.encodeWithSelector(DcapAttestationVerifier.UnexpectedPayment.selector, payer)
        );
    }

    /// @dev The whole way: quote, fee, adapter, registry on a mainnet, active key.
    function test_register_withATdxQuote() public {
        vm.chainId(8453);
        EnclaveKeyRegistry real = mainnetRegistry();
        Registration memory given;
        (given.key, given.by, given.evidence) = (key, operator, QUOTE);
        (given.eciesKey, given.deadline) = (eciesKeyFor(key), block.timestamp);
        given.challenge = real.newChallenge();
        bytes32 data = real.reportDataFor(key.addr, given.eciesKey, given.challenge);
        dcap.answer(QUOTE, true, bytes.concat(head11(4, 2, 0), tdReport(584, data, 0)));
        // Ether that somebody forced in stays.
        vm.deal(address(real), 7);
        for (uint256 i = 0; i < 2; ++i) {
            dcap.charge(FEE, i == 0);
            vm.startPrank(payer, payer);
            sendWith(real, given, 3 * FEE);
            vm.stopPrank();
            assertEq(payer.balance, 1 ether - (i + 1) * FEE);
            assertEq(address(real).balance, 7);
        }
        vm.warp(block.timestamp + ACTIVATION);
        assertTrue(real.isActive(key.addr));
    }

    function test_register_payerThatTakesNothingBack_reverts() public {
        vm.chainId(8453);
        EnclaveKeyRegistry real = mainnetRegistry();
        Registration memory given;
        (given.key, given.by, given.evidence) = (key, operator, QUOTE);
        (given.eciesKey, given.deadline) = (eciesKeyFor(key), block.timestamp);
        given.challenge = real.newChallenge();
        bytes32 data = real.reportDataFor(key.addr, given.eciesKey, given.challenge);
        dcap.answer(QUOTE, true, bytes.concat(head11(4, 2, 0), tdReport(584, data, 0)));
        dcap.charge(FEE, true);
        bytes32 digest = digestOf(real, given);
        (bytes memory proof, bytes memory consent) = (sign(key, digest), sign(operator, digest));
        vm.expectRevert(
            abi.encodeWithSelector(IRegistryErrors.RefundRefused.selector, address(this), FEE)
        );
        real.register{value: 2 * FEE}(
            key.addr,
            given.eciesKey,
            operator.addr,
            QUOTE,
            given.challenge,
            given.deadline,
            proof,
            consent
        );
    }

    function mainnetRegistry() private returns (EnclaveKeyRegistry) {
        bytes32[] memory measurements = new bytes32[](1);
        measurements[0] = keccak256(bytes.concat("TDX", slice(tdReport(584, DATA, 0), 120, 520)));
        address[] memory operators = new address[](1);
        operators[0] = operator.addr;
        return EnclaveKeyRegistry(
            Deployed.create(
                "EnclaveKeyRegistry",
                abi.encode(payer, adapter, false, productionTerms(), measurements, operators)
            )
        );
    }

    function sendWith(EnclaveKeyRegistry to, Registration memory given, uint256 value) private {
        bytes32 digest = digestOf(to, given);
        to.register{value: value}(
            given.key.addr,
            given.eciesKey,
            given.by.addr,
            given.evidence,
            given.challenge,
            given.deadline,
            sign(given.key, digest),
            sign(given.by, digest)
        );
    }

    function assertReport(bytes memory output, bytes32 measurement, bytes32 data, bool debug)
        private
    {
        Attestation memory attestation = verifyOutput(output);
        assertEq(attestation.measurement, measurement);
        assertEq(attestation.reportData, data);
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

    function withoutTail(bytes memory output, uint256 body) private pure returns (bytes memory) {
        for (uint256 i = 0; i < 32; ++i) {
            output[body + 552 + i] = 0;
        }
        return output;
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

    /// @dev A TD report in which every byte differs from its neighbours, with plain attributes
    ///      and no service TD.
    function tdReport(uint256 length, bytes32 data, bytes32 tail)
        private
        pure
        returns (bytes memory body)
    {
        body = reportWith(length, 520, data, tail);
        (body[120], body[123]) = (0, 0x10);
        for (uint256 i = 600; i < length; ++i) {
            body[i] = 0;
        }
    }

    function enclaveReport(bytes32 data, bytes32 tail) private pure returns (bytes memory body) {
        body = reportWith(384, 320, data, tail);
        body[48] = 0;
    }

    function reportWith(uint256 length, uint256 dataAt, bytes32 data, bytes32 tail)
        private
        pure
        returns (bytes memory body)
    {
        body = new bytes(length);
        for (uint256 i = 0; i < length; ++i) {
            body[i] = bytes1(uint8(i % 251));
        }
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
