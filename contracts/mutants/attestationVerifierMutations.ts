import type { Mutation } from './mutation.ts'

const development = 'attestation/DevelopmentAttestationVerifier.sol'
const chains = 'attestation/DevelopmentChains.sol'
const dcap = 'attestation/DcapAttestationVerifier.sol'
const output = 'attestation/DcapOutput.sol'

/** Bugs in whose evidence is taken for genuine. */
export const attestationVerifierMutations: Mutation[] = [
  {
    label: 'development: no quoting key',
    file: development,
    find: '        if (quotingKey == address(0)) revert QuotingKeyRequired();\n',
    replace: '',
  },
  {
    label: 'development: any quoting key',
    file: development,
    find: 'signer != QUOTING_KEY',
    replace: 'signer == address(0)',
  },
  {
    label: 'development: not marked debug',
    file: development,
    find: 'debug: true',
    replace: 'debug: false',
  },
  {
    label: 'development: deployed anywhere',
    file: development,
    find: '        DevelopmentChains.requireHere();\n        if (quotingKey',
    replace: '        if (quotingKey',
  },
  {
    label: 'development: verifies anywhere',
    file: development,
    find: '        DevelopmentChains.requireHere();\n        if (msg.value',
    replace: '        if (msg.value',
  },
  {
    label: 'development: takes money',
    file: development,
    find: '        if (msg.value != 0) revert NoFeeCharged(msg.value);\n',
    replace: '',
  },
  {
    label: 'development: report data not signed',
    file: development,
    find: 'abi.encode(QUOTE_TYPEHASH, measurement, reportData)',
    replace: 'abi.encode(QUOTE_TYPEHASH, measurement, measurement)',
  },
  {
    label: 'development: measurement not signed',
    file: development,
    find: 'abi.encode(QUOTE_TYPEHASH, measurement, reportData)',
    replace: 'abi.encode(QUOTE_TYPEHASH, reportData, reportData)',
  },
  {
    label: 'development chains: a mainnet among them',
    file: chains,
    find: 'chainId == 84_532 // base_sepolia',
    replace: 'chainId == 84_532 || chainId == 8453 // base_sepolia',
  },
  {
    label: 'dcap: without code',
    file: dcap,
    find: '        if (address(dcap).code.length == 0) revert NotAVerifier(address(dcap));\n',
    replace: '',
  },
  {
    label: 'dcap: refused quotes',
    file: dcap,
    find: '        if (!success) revert QuoteRefused(output);\n',
    replace: '',
  },
  {
    label: 'dcap: worse platform',
    file: dcap,
    find: 'WORST_TCB_STATUS = 1',
    replace: 'WORST_TCB_STATUS = 2',
  },
  {
    label: 'dcap: better platform only',
    file: dcap,
    find: 'WORST_TCB_STATUS = 1',
    replace: 'WORST_TCB_STATUS = 0',
  },
  {
    label: 'dcap: report data tail',
    file: dcap,
    find: '        if (report.reportDataTail != 0) revert ReportDataTailNotZero(report.reportDataTail);\n',
    replace: '',
  },
  {
    label: 'dcap: MIGRATABLE',
    file: dcap,
    find: '        if (report.migratable) revert MigratableProgram();\n',
    replace: '',
  },
  {
    label: 'dcap: service TDs',
    file: dcap,
    find: '        if (report.serviceHash != 0) revert ServiceProgramBound(report.serviceHash);\n',
    replace: '',
  },
  {
    label: 'dcap: fee kept back',
    file: dcap,
    find: '{value: msg.value}',
    replace: '{value: 0}',
  },
  {
    label: 'dcap: rest of the fee kept',
    file: dcap,
    find: '        _giveBack(address(this).balance - before);\n',
    replace: '',
  },
  {
    label: 'dcap: stray money given away',
    file: dcap,
    find: 'uint256 before = address(this).balance - msg.value;',
    replace: 'uint256 before = 0;',
  },
  {
    label: 'dcap: a refused rest is lost',
    file: dcap,
    find: '        if (!taken) revert RefundRefused(msg.sender, amount);\n',
    replace: '',
  },
  {
    label: 'dcap: takes money from anybody',
    file: dcap,
    find: '        if (msg.sender != address(DCAP)) revert UnexpectedPayment(msg.sender);\n',
    replace: '',
  },
  {
    label: 'dcap output: SGX debug bit',
    file: output,
    find: 'body[48] & 0x02 != 0',
    replace: 'body[48] & 0x01 != 0',
  },
  {
    label: 'dcap output: TDX debug bit alone',
    file: output,
    find: 'body[120] != 0',
    replace: 'body[120] & 0x01 != 0',
  },
  {
    label: 'dcap output: MIGRATABLE is another bit',
    file: output,
    find: 'body[123] & 0x20 != 0',
    replace: 'body[123] & 0x10 != 0',
  },
  {
    label: 'dcap output: MIGRATABLE in another byte',
    file: output,
    find: 'body[123] & 0x20 != 0',
    replace: 'body[122] & 0x20 != 0',
  },
  {
    label: 'dcap output: service TDs overlooked',
    file: output,
    find: 'if (body.length < TD_15_BODY) return 0;',
    replace: 'if (body.length <= TD_15_BODY) return 0;',
  },
  {
    label: 'dcap output: service hash a byte short',
    file: output,
    find: 'bytes calldata hash = body[600:648];',
    replace: 'bytes calldata hash = body[600:647];',
  },
  {
    label: 'dcap output: service hash a byte early',
    file: output,
    find: 'bytes calldata hash = body[600:648];',
    replace: 'bytes calldata hash = body[599:648];',
  },
  {
    label: 'dcap output: TDX measurement a register short',
    file: output,
    find: 'body[120:520]',
    replace: 'body[120:472]',
  },
  {
    label: 'dcap output: TDX measurement without attributes',
    file: output,
    find: 'body[120:520]',
    replace: 'body[128:520]',
  },
  {
    label: 'dcap output: SGX measurement without its configuration',
    file: output,
    find: 'body[192:262]',
    replace: 'body[256:262]',
  },
  {
    label: 'dcap output: SGX measurement without its signer',
    file: output,
    find: 'body[64:96], body[128:160],',
    replace: 'body[64:96], body[64:96],',
  },
  {
    label: 'dcap output: header of the other layout (TDX)',
    file: output,
    find: 'if (tag == 0x8100) return Layout(6, 13,',
    replace: 'if (tag == 0x8100) return Layout(6, 11,',
  },
  {
    label: 'dcap output: header of the other layout (SGX)',
    file: output,
    find: 'if (tag == 0x0000) return Layout(6, 13,',
    replace: 'if (tag == 0x0000) return Layout(4, 13,',
  },
  {
    label: 'dcap output: length unchecked',
    file: output,
    find: '        if (output.length < end) revert DcapOutputTooShort(output.length, end);\n',
    replace: '',
  },
  {
    label: 'dcap output: head unchecked',
    file: output,
    find: '        if (output.length < 4) revert DcapOutputTooShort(output.length, 4);\n',
    replace: '',
  },
  {
    label: 'dcap output: any layout',
    file: output,
    find: '        revert UnknownDcapLayout(head);\n',
    replace: '        return Layout(4, 11, TD_10_BODY, true);\n',
  },
]
