import type { Mutation } from './mutation.ts'

const lists = 'attestation/RegistryLists.sol'

/** Bugs in who is on the registry's lists, and since when. */
export const attestationListMutations: Mutation[] = [
  {
    label: 'constructor: one-step ownership',
    file: lists,
    find: 'contract RegistryLists is RegistryStorage, IEnclaveKeyRegistry, Ownable2Step {',
    replace:
      'contract RegistryLists is RegistryStorage, IEnclaveKeyRegistry, Ownable2Step {\n    function transferOwnership(address newOwner) public override onlyOwner {\n        _transferOwnership(newOwner);\n    }\n',
  },
  {
    label: 'operator: counts at once',
    file: lists,
    find: '_list(operator, _afterDelay())',
    replace: '_list(operator, uint64(block.timestamp))',
  },
  {
    label: 'operator: listed by anybody',
    file: lists,
    find: 'function listOperator(address operator) external onlyOwner {',
    replace: 'function listOperator(address operator) external {',
  },
  {
    label: 'operator: removed by anybody',
    file: lists,
    find: 'function removeOperator(address operator) external onlyOwner {',
    replace: 'function removeOperator(address operator) external {',
  },
  {
    label: 'operator: removed twice',
    file: lists,
    find: 'stored.listing == 0 || stored.removal != 0) {\n            revert OperatorNotListed(operator, stored.listing, stored.removal);\n        }\n        if (block.timestamp < stored.listing) delete',
    replace:
      'stored.listing == 0) {\n            revert OperatorNotListed(operator, stored.listing, stored.removal);\n        }\n        if (block.timestamp < stored.listing) delete',
  },
  {
    label: 'operator: an unknown one removed',
    file: lists,
    find: 'stored.listing == 0 || stored.removal != 0) {\n            revert OperatorNotListed(operator, stored.listing, stored.removal);\n        }\n        if (block.timestamp < stored.listing) delete',
    replace:
      'stored.removal != 0) {\n            revert OperatorNotListed(operator, stored.listing, stored.removal);\n        }\n        if (block.timestamp < stored.listing) delete',
  },
  {
    label: 'operator: an announcement is burnt',
    file: lists,
    find: 'if (block.timestamp < stored.listing) delete _operators[operator];\n        else _operators',
    replace: '_operators',
  },
  {
    label: 'operator: history is deleted',
    file: lists,
    find: 'if (block.timestamp < stored.listing) delete',
    replace: 'if (block.timestamp <= stored.listing + 365 days) delete',
  },
  {
    label: 'operator: count stays at a removal',
    file: lists,
    find: '        --_operatorCount;\n',
    replace: '',
  },
  {
    label: 'operator: count stays at a listing',
    file: lists,
    find: '        ++_operatorCount;\n',
    replace: '',
  },
  {
    label: 'operator: comes back after its removal',
    file: lists,
    find: 'if (_operators[operator].listing != 0) revert',
    replace: 'if (_operators[operator].listing != 0 && _operators[operator].removal == 0) revert',
  },
  {
    label: 'operator: the zero address',
    file: lists,
    find: '        if (operator == address(0)) revert InvalidAddress(operator);\n',
    replace: '',
  },
  {
    label: 'operator: registers during the delay',
    file: lists,
    find: ' || block.timestamp < stored.listing) {',
    replace: ') {',
  },
  {
    label: 'operator: registers a second too late',
    file: lists,
    find: ' || block.timestamp < stored.listing) {',
    replace: ' || block.timestamp <= stored.listing) {',
  },
  {
    label: 'operator: registers after its removal',
    file: lists,
    find: 'stored.removal != 0 || block.timestamp',
    replace: 'block.timestamp',
  },
  {
    label: 'operator: registers unlisted',
    file: lists,
    find: 'stored.listing == 0 || stored.removal != 0 || block',
    replace: 'stored.removal != 0 || block',
  },
  {
    label: 'measurement: allowed by anybody',
    file: lists,
    find: 'function allowMeasurement(bytes32 measurement) external onlyOwner {',
    replace: 'function allowMeasurement(bytes32 measurement) external {',
  },
  {
    label: 'measurement: removed by anybody',
    file: lists,
    find: 'function removeMeasurement(bytes32 measurement) external onlyOwner {',
    replace: 'function removeMeasurement(bytes32 measurement) external {',
  },
  {
    label: 'measurement: counts at once',
    file: lists,
    find: '_allow(measurement, _afterDelay())',
    replace: '_allow(measurement, uint64(block.timestamp))',
  },
  {
    label: 'measurement: counts at once the second time',
    file: lists,
    find: '_allow(measurement, _afterDelay())',
    replace: '_allow(measurement, _removals[1] != 0 ? uint64(block.timestamp) : _afterDelay())',
  },
  {
    label: 'measurement: an unknown one removed',
    file: lists,
    find: '        if (stored.countsFrom == 0) revert MeasurementNotAllowed(measurement, 0);\n',
    replace: '',
  },
  {
    label: 'measurement: removal spares its keys',
    file: lists,
    find: '        _removals[stored.generation] = block.timestamp;\n',
    replace: '',
  },
  {
    label: 'measurement: removal without effect on new keys',
    file: lists,
    find: '        delete _allowances[measurement];\n',
    replace: '',
  },
  {
    label: 'measurement: allowed twice',
    file: lists,
    find: 'if (_allowances[measurement].countsFrom != 0) {',
    replace: 'if (_allowances[measurement].countsFrom > block.timestamp) {',
  },
  {
    label: 'measurement: all of one generation',
    file: lists,
    find: 'uint32 generation = ++_generations;',
    replace: 'uint32 generation = 1;',
  },
  {
    label: 'measurement: trusted during the delay',
    file: lists,
    find: 'countsFrom == 0 || block.timestamp < countsFrom',
    replace: 'countsFrom == 0',
  },
  {
    label: 'measurement: trusted a second too late',
    file: lists,
    find: 'block.timestamp < countsFrom',
    replace: 'block.timestamp <= countsFrom',
  },
  {
    label: 'measurement: any',
    file: lists,
    find: 'countsFrom == 0 || block.timestamp < countsFrom',
    replace: 'block.timestamp < countsFrom',
  },
  {
    label: 'verifier: proposed by anybody',
    file: lists,
    find: 'function proposeVerifier(IAttestationVerifier newVerifier) external onlyOwner {',
    replace: 'function proposeVerifier(IAttestationVerifier newVerifier) external {',
  },
  {
    label: 'verifier: without code',
    file: lists,
    find: '        if (address(newVerifier) != address(0)) _requireCode(address(newVerifier));\n',
    replace: '',
  },
  {
    label: 'verifier: first one without code',
    file: lists,
    find: '        _requireCode(address(next));\n',
    replace: '',
  },
  {
    label: 'verifier: inherits the elapsed delay',
    file: lists,
    find: '        verifierInstallableAt = _afterDelay();\n',
    replace: '        if (verifierInstallableAt == 0) verifierInstallableAt = _afterDelay();\n',
  },
  {
    label: 'verifier: installed without delay',
    file: lists,
    find: 'block.timestamp < verifierInstallableAt',
    replace: 'verifierInstallableAt == 0',
  },
  {
    label: 'verifier: installed a second too late',
    file: lists,
    find: 'block.timestamp < verifierInstallableAt',
    replace: 'block.timestamp <= verifierInstallableAt',
  },
  {
    label: 'verifier: proposal stays',
    file: lists,
    find: '        delete proposedVerifier;\n',
    replace: '',
  },
  {
    label: 'verifier: none installed',
    file: lists,
    find: '        if (address(next) == address(0)) revert NoVerifierProposed();\n',
    replace: '',
  },
  {
    label: 'verifier: removed by anybody',
    file: lists,
    find: 'function removeVerifier() external onlyOwner {',
    replace: 'function removeVerifier() external {',
  },
  {
    label: 'verifier: removal without effect',
    file: lists,
    find: '        delete verifier;\n',
    replace: '',
  },
  {
    label: 'delay: none',
    file: lists,
    find: 'uint64(block.timestamp + ADDITION_DELAY)',
    replace: 'uint64(block.timestamp)',
  },
]
