import type { Mutation } from './mutation.ts'

const settlement = 'bridge/SettlementAttestation.sol'
const registry = 'EnclaveKeyRegistry.sol'
const development = 'attestation/DevelopmentAttestationVerifier.sol'
const chains = 'attestation/DevelopmentChains.sol'
const dcap = 'attestation/DcapAttestationVerifier.sol'
const output = 'attestation/DcapOutput.sol'

/** Bugs in whose word is taken. */
export const attestationMutations: Mutation[] = [
  {
    label: 'constructor: no registry',
    file: settlement,
    find: '        if (registry == address(0)) revert ZeroAddress();\n',
    replace: '',
  },
  {
    label: 'constructor: keys without lifetime',
    file: registry,
    find: '        if (keyLifetime == 0) revert ZeroKeyLifetime();\n',
    replace: '',
  },
  {
    label: 'constructor: verifier without code',
    file: registry,
    find: '        _requireCode(address(initialVerifier));\n',
    replace: '',
  },
  {
    label: 'constructor: a measurement twice',
    file: registry,
    find: 'if (_measurements[measurement].activeAt != 0) {',
    replace: 'if (_measurements[measurement].activeAt > block.timestamp) {',
  },
  {
    label: 'constructor: no quoting key',
    file: development,
    find: '        if (quotingKey == address(0)) revert QuotingKeyRequired();\n',
    replace: '',
  },
  {
    label: 'attester: any signer',
    file: settlement,
    find: '        if (!REGISTRY.isActive(attester)) revert AttesterNotActive(attester);\n',
    replace: '',
  },
  {
    label: 'attester: after the deadline',
    file: settlement,
    find: 'block.timestamp > settlement.deadline',
    replace: 'block.timestamp > settlement.deadline + 1',
  },
  {
    label: 'attester: not at the deadline',
    file: settlement,
    find: 'block.timestamp > settlement.deadline',
    replace: 'block.timestamp >= settlement.deadline',
  },
  {
    label: 'attester: no domain in the digest',
    file: settlement,
    find: '_hashTypedDataV4(keccak256(abi.encode(SETTLEMENT_TYPEHASH, settlement)))',
    replace: 'keccak256(abi.encode(SETTLEMENT_TYPEHASH, settlement))',
  },
  {
    label: 'key: active when expired',
    file: registry,
    find: 'block.timestamp < key.expiresAt && !key.revoked',
    replace: '!key.revoked',
  },
  {
    label: 'key: active a second too long',
    file: registry,
    find: 'block.timestamp < key.expiresAt',
    replace: 'block.timestamp <= key.expiresAt',
  },
  {
    label: 'key: active when revoked',
    file: registry,
    find: ' && !key.revoked',
    replace: '',
  },
  {
    label: 'key: revived with its measurement',
    file: registry,
    find: 'key.generation == _measurements[key.measurement].generation',
    replace: 'true',
  },
  {
    label: 'register: a revoked key',
    file: registry,
    find: '        if (_keys[signer].revoked) revert KeyIsRevoked(signer);\n',
    replace: '',
  },
  {
    label: 'register: without possession',
    file: registry,
    find: '        if (recovered != signer) revert WrongPossessionProof(recovered, signer);\n',
    replace: '',
  },
  {
    label: 'register: proof of any deadline',
    file: registry,
    find: '        if (deadline > latest) revert ProofTooLong(deadline, latest);\n',
    replace: '',
  },
  {
    label: 'register: expired proof',
    file: registry,
    find: '        if (block.timestamp > deadline) revert ProofExpired(deadline);\n',
    replace: '',
  },
  {
    label: 'register: debug evidence',
    file: registry,
    find: '        if (attestation.debug && !ACCEPTS_DEBUG) revert DebugEvidenceRefused();\n',
    replace: '',
  },
  {
    label: 'register: evidence bound to another key',
    file: registry,
    find: 'attestation.reportData != expected',
    replace: 'attestation.reportData == 0',
  },
  {
    label: 'register: evidence from the future',
    file: registry,
    find: ' || attestation.attestedAt > block.timestamp',
    replace: '',
  },
  {
    label: 'register: stale evidence',
    file: registry,
    find: 'attestation.attestedAt < oldest || ',
    replace: '',
  },
  {
    label: 'register: lifetime counted from now',
    file: registry,
    find: 'attestation.attestedAt + KEY_LIFETIME',
    replace: 'uint64(block.timestamp) + KEY_LIFETIME',
  },
  {
    label: 'register: measurement unchecked',
    file: registry,
    find: 'if (!_isTrusted(measurement)) {',
    replace: 'if (measurement.generation > 100) {',
  },
  {
    label: 'measurement: trusted during the delay',
    file: registry,
    find: 'measurement.activeAt != 0 && block.timestamp >= measurement.activeAt',
    replace: 'measurement.activeAt != 0',
  },
  {
    label: 'measurement: removal keeps the generation',
    file: registry,
    find: '        ++stored.generation;\n',
    replace: '',
  },
  {
    label: 'measurement: removal without effect',
    file: registry,
    find: '        stored.activeAt = 0;\n',
    replace: '',
  },
  {
    label: 'measurement: allowed by anybody',
    file: registry,
    find: 'function allowMeasurement(bytes32 measurement) external onlyOwner {',
    replace: 'function allowMeasurement(bytes32 measurement) external {',
  },
  {
    label: 'revoke: by anybody',
    file: registry,
    find: 'msg.sender != owner() && msg.sender != signer',
    replace: 'msg.sender == address(0)',
  },
  {
    label: 'verifier: installed without delay',
    file: registry,
    find: 'block.timestamp < verifierInstallableAt',
    replace: 'verifierInstallableAt == 0',
  },
  {
    label: 'verifier: proposal stays',
    file: registry,
    find: '        delete proposedVerifier;\n',
    replace: '',
  },
  {
    label: 'debug registry on any chain',
    file: registry,
    find: '        if (acceptsDebug) DevelopmentChains.requireHere();\n',
    replace: '',
  },
  {
    label: 'report data: not bound to the chain',
    file: registry,
    find: 'abi.encode("EnclaveKey", block.chainid, address(this), signer)',
    replace: 'abi.encode("EnclaveKey", uint256(84_532), address(this), signer)',
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
    find: '        DevelopmentChains.requireHere();\n        (bytes32 measurement',
    replace: '        (bytes32 measurement',
  },
  {
    label: 'development chains: a mainnet among them',
    file: chains,
    find: 'chainId == 84_532 // base_sepolia',
    replace: 'chainId == 84_532 || chainId == 8453 // base_sepolia',
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
    label: 'dcap: report data tail',
    file: dcap,
    find: 'report.reportDataTail != 0',
    replace: 'report.reportDataTail == keccak256("")',
  },
  {
    label: 'dcap output: SGX debug bit',
    file: output,
    find: 'body[48] & 0x02 != 0',
    replace: 'body[48] & 0x01 != 0',
  },
  {
    label: 'dcap output: TDX measurement a register short',
    file: output,
    find: 'body[120:520]',
    replace: 'body[120:472]',
  },
  {
    label: 'dcap output: header of the other layout',
    file: output,
    find: 'if (tag == 0x8100) return Layout(6, 13,',
    replace: 'if (tag == 0x8100) return Layout(6, 11,',
  },
  {
    label: 'dcap output: length unchecked',
    file: output,
    find: '        if (output.length < end) revert DcapOutputTooShort(output.length, end);\n',
    replace: '',
  },
]
