// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title A program's identity, from the on-chain DCAP verifier's output
/// @notice Two layouts are in use, and their first four bytes tell them apart:
///
///         1.0: quote version (2) | TEE type (4) | TCB status (1) | FMSPC (6) | body | advisories
///         1.1: quote version (2) | body type (2) | TCB status (1) | FMSPC (6) | body | advisories
///
///         The body is Intel's own: an SGX enclave report (384 bytes), a TD report 1.0 (584) or
///         1.5 (648). Integers of the header are big-endian, the body is as in the quote.
library DcapOutput {
    /// @notice A program's identity as a quote states it.
    struct Report {
        /// keccak256 of the kind of enclave and everything that identifies its code and platform.
        bytes32 measurement;
        /// First half of the quote's report data.
        bytes32 reportData;
        /// Second half.
        bytes32 reportDataTail;
        /// Platform's patch level: 0 up to date, 1 needs software hardening, others are worse.
        uint8 tcbStatus;
        /// Whether the host can read the program's memory.
        bool debug;
        /// Whether the platform's owner may move the TD to another machine.
        bool migratable;
        /// keccak256 of the hash of the service TDs bound to a TD; zero if there are none.
        bytes32 serviceHash;
    }

    /// @dev Offsets of a layout's parts. `body` counts from the output's start.
    struct Layout {
        uint256 tcbStatus;
        uint256 body;
        uint256 bodyLength;
        bool isTdx;
    }

    /// @notice The output's first four bytes name no known layout.
    error UnknownDcapLayout(bytes4 head);
    /// @notice The output is shorter than its layout.
    error DcapOutputTooShort(uint256 length, uint256 expected);

    uint256 private constant SGX_BODY = 384;
    uint256 private constant TD_10_BODY = 584;
    uint256 private constant TD_15_BODY = 648;

    /// @notice Read an output.
    /// @param output What `verifyAndAttestOnChain` returned on success.
    /// @return report The program's identity.
    function parse(bytes calldata output) internal pure returns (Report memory report) {
        if (output.length < 4) revert DcapOutputTooShort(output.length, 4);
        Layout memory layout = _layoutOf(bytes4(output[0:4]));
        uint256 end = layout.body + layout.bodyLength;
        if (output.length < end) revert DcapOutputTooShort(output.length, end);
        bytes calldata body = output[layout.body:end];
        if (layout.isTdx) _readTdx(report, body);
        else _readSgx(report, body);
        report.tcbStatus = uint8(output[layout.tcbStatus]);
    }

    function _layoutOf(bytes4 head) private pure returns (Layout memory) {
        // The last two of the four bytes.
        // forge-lint: disable-next-line(unsafe-typecast)
        bytes2 tag = bytes2(head << 16);
        if (tag == 0x0001) return Layout(4, 11, SGX_BODY, false);
        if (tag == 0x0002) return Layout(4, 11, TD_10_BODY, true);
        if (tag == 0x0003) return Layout(4, 11, TD_15_BODY, true);
        if (tag == 0x8100) return Layout(6, 13, TD_10_BODY, true);
        if (tag == 0x0000) return Layout(6, 13, SGX_BODY, false);
        revert UnknownDcapLayout(head);
    }

    /// @dev MRENCLAVE at 64, MRSIGNER at 128, from 192 to 262 the configuration's id, product id,
    ///      security version and the configuration's version; attributes at 48 with DEBUG in bit 1;
    ///      report data at 320.
    function _readSgx(Report memory report, bytes calldata body) private pure {
        report.measurement =
            keccak256(abi.encodePacked("SGX", body[64:96], body[128:160], body[192:262]));
        report.debug = body[48] & 0x02 != 0;
        (report.reportData, report.reportDataTail) =
        (bytes32(body[320:352]), bytes32(body[352:384]));
    }

    /// @dev From 120: TD attributes, XFAM, MRTD, MRCONFIGID, MROWNER, MROWNERCONFIG, RTMR0 to 3;
    ///      from 520 the report data; from 600, in TD report 1.5, MRSERVICETD. Any bit of the
    ///      attributes' first byte makes a TD untrusted (DEBUG is bit 0); MIGRATABLE is bit 29. The
    ///      TDX module's own version isn't part of the measurement: Intel patches it, and the TCB
    ///      status covers it.
    function _readTdx(Report memory report, bytes calldata body) private pure {
        report.measurement = keccak256(abi.encodePacked("TDX", body[120:520]));
        report.debug = body[120] != 0;
        report.migratable = body[123] & 0x20 != 0;
        report.serviceHash = _serviceHash(body);
        (report.reportData, report.reportDataTail) =
        (bytes32(body[520:552]), bytes32(body[552:584]));
    }

    function _serviceHash(bytes calldata body) private pure returns (bytes32) {
        if (body.length < TD_15_BODY) return 0;
        bytes calldata hash = body[600:648];
        for (uint256 i = 0; i < hash.length; ++i) {
            if (hash[i] != 0) return keccak256(hash);
        }
        return 0;
    }
}
