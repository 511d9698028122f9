import type { Mutation } from './mutation.ts'

const gateway = 'periphery/CreationGateway.sol'
const factory = 'periphery/Create3Factory.sol'

/** Bugs in what a user's signature covers, and in where contracts land. */
export const peripheryMutations: Mutation[] = [
  {
    label: 'gateway: no bridge',
    file: gateway,
    find: '        if (address(bridge) == address(0)) revert ZeroAddress();\n',
    replace: '',
  },
  {
    label: 'gateway: blob not covered',
    file: gateway,
    find: 'creation, keccak256(encryptedBlob)',
    replace: 'creation, keccak256(encryptedBlob[0:0])',
  },
  {
    label: 'gateway: chain not covered',
    file: gateway,
    find: 'BRIDGE, block.chainid, creation',
    replace: 'BRIDGE, uint256(8_453), creation',
  },
  {
    label: 'gateway: bridge not covered',
    file: gateway,
    find: 'BRIDGE, block.chainid, creation',
    replace: 'address(0), block.chainid, creation',
  },
  {
    label: 'gateway: no domain in the digest',
    file: gateway,
    find: 'return _hashTypedDataV4(_structHash(creation, encryptedBlob));',
    replace: 'return _structHash(creation, encryptedBlob);',
  },
  {
    label: 'gateway: after the deadline',
    file: gateway,
    find: '        if (block.timestamp >= creation.deadline) revert DeadlinePassed(creation.deadline);\n',
    replace: '',
  },
  {
    label: 'gateway: at the deadline',
    file: gateway,
    find: 'block.timestamp >= creation.deadline',
    replace: 'block.timestamp > creation.deadline',
  },
  {
    label: 'gateway: reward not pulled',
    file: gateway,
    find: 'return creation.terms.amountA + creation.terms.reward;',
    replace: 'return creation.terms.amountA;',
  },
  {
    label: 'gateway: what arrived is not measured',
    file: gateway,
    find: '        if (received < escrow) revert TransferShort(token, escrow, received);\n',
    replace: '',
  },
  {
    label: 'gateway: what was there before counts',
    file: gateway,
    find: '_balance(token) - before',
    replace: '_balance(token) - before * 0',
  },
  {
    label: 'permit: another witness',
    file: gateway,
    find: '            _structHash(creation, encryptedBlob),\n            WITNESS_TYPE,',
    replace: '            bytes32(0),\n            WITNESS_TYPE,',
  },
  {
    label: 'permit: nonce not the salt',
    file: gateway,
    find: 'nonce: uint256(creation.salt)',
    replace: 'nonce: 0',
  },
  {
    label: 'permit: arrival unchecked',
    file: gateway,
    find: '            signature\n        );\n        _requireReceived(token, before, escrow);\n',
    replace: '            signature\n        );\n',
  },
  {
    label: 'permit: can be re-entered',
    file: gateway,
    find: `    function createByPermit2(
        Creation calldata creation,
        bytes calldata encryptedBlob,
        bytes calldata signature
    ) external nonReentrant`,
    replace: `    function createByPermit2(
        Creation calldata creation,
        bytes calldata encryptedBlob,
        bytes calldata signature
    ) external`,
  },
  {
    label: 'authorization: any nonce',
    file: gateway,
    find: 'creationDigest(creation, encryptedBlob), signature)',
    replace: 'creation.salt, signature)',
  },
  {
    label: 'authorization: signatures of 65 bytes only',
    file: gateway,
    find: 'if (signature.length != 65) {',
    replace: 'if (signature.length == 0) {',
  },
  {
    label: 'authorization: never by r, s, v',
    file: gateway,
    find: 'uint8 v = uint8(signature[64]);',
    replace: 'uint8 v = uint8(signature[63]);',
  },
  {
    label: 'user: the caller',
    file: gateway,
    find: '        return BRIDGE.createIntentFor(\n            user,',
    replace:
      '        return BRIDGE.createIntentFor(\n            user == msg.sender ? user : msg.sender,',
  },
  {
    label: 'ether: any token',
    file: gateway,
    find: '        if (terms.tokenA != WETH) revert NotWrappedEther(terms.tokenA, WETH);\n',
    replace: '',
  },
  {
    label: 'ether: any value',
    file: gateway,
    find: '        if (msg.value != escrow) revert WrongValue(msg.value, escrow);\n',
    replace: '',
  },
  {
    label: 'ether: too much is kept',
    file: gateway,
    find: 'msg.value != escrow',
    replace: 'msg.value < escrow',
  },
  {
    label: 'ether: not wrapped',
    file: gateway,
    find: '        IWrappedEther(WETH).deposit{value: escrow}();\n',
    replace: '',
  },
  {
    label: 'approval: each time anew',
    file: gateway,
    find: 'if (token.allowance(address(this), address(BRIDGE)) < escrow) {',
    replace: 'if (escrow > 0) {',
  },
  {
    label: 'create3: one namespace for all',
    file: factory,
    find: 'keccak256(abi.encode(creator, salt))',
    replace: 'keccak256(abi.encode(salt))',
  },
  {
    label: 'create3: a used salt goes on',
    file: factory,
    find: '        if (proxy == address(0)) revert SaltAlreadyUsed(salt, created);\n',
    replace: '',
  },
  {
    label: 'create3: a failed constructor passes',
    file: factory,
    find: '!called || created.code.length == 0',
    replace: '!called',
  },
  {
    label: 'create3: another address than said',
    file: factory,
    find: 'abi.encodePacked(hex"d694", proxy, hex"01")',
    replace: 'abi.encodePacked(hex"d694", proxy, hex"02")',
  },
]
