import type { Mutation } from './mutation.ts'

const payouts = 'bridge/Payouts.sol'
const tokenCalls = 'bridge/TokenCalls.sol'
const deliveries = 'bridge/Deliveries.sol'
const stakes = 'bridge/Stakes.sol'
const curve = 'bridge/Secp256k1.sol'
const creation = 'bridge/Creation.sol'

/** Bugs in what moves: stakes, payouts, deliveries. */
export const paymentMutations: Mutation[] = [
  {
    label: 'pull: unmeasured',
    file: payouts,
    find: 'if (received < amount && to != msg.sender) revert',
    replace: 'if (false) revert',
  },
  {
    label: 'pull: paying oneself is measured',
    file: payouts,
    find: 'if (received < amount && to != msg.sender)',
    replace: 'if (received < amount)',
  },
  {
    label: 'pull: a refusal is ignored',
    file: payouts,
    find: 'if (!_move(token, address(this), amount, gasleft())) _revertAs(token);',
    replace: '_move(token, address(this), amount, gasleft());',
  },
  {
    label: 'pay: a refusal is ignored',
    file: payouts,
    find: 'if (!TokenCalls.tryTransfer(token, to, amount, gasleft())) _revertAs(token);',
    replace: 'TokenCalls.tryTransfer(token, to, amount, gasleft());',
  },
  {
    label: 'move: a refusal is ignored',
    file: payouts,
    find: 'if (!TokenCalls.tryTransferFromCaller(token, to, amount, gasForToken)) return false;',
    replace: 'TokenCalls.tryTransferFromCaller(token, to, amount, gasForToken);',
  },
  {
    label: 'push: gas unchecked',
    file: payouts,
    find: '        if (left < PUSH_GAS_REQUIRED) revert InsufficientGas(left, PUSH_GAS_REQUIRED);\n',
    replace: '',
  },
  {
    label: 'push: all gas',
    file: payouts,
    find: 'if (TokenCalls.tryTransfer(token, to, amount, PUSH_GAS)) return;',
    replace: 'if (TokenCalls.tryTransfer(token, to, amount, gasleft())) return;',
  },
  {
    label: 'push: little gas',
    file: payouts,
    find: 'PUSH_GAS = 300_000',
    replace: 'PUSH_GAS = 3_000',
  },
  {
    label: 'push: without a credit',
    file: payouts,
    find: '        _credits[to][token] += amount;\n',
    replace: '',
  },
  {
    label: 'push: credit replaced',
    file: payouts,
    find: '_credits[to][token] += amount',
    replace: '_credits[to][token] = amount',
  },
  {
    label: 'push: paid and credited',
    file: payouts,
    find: 'if (TokenCalls.tryTransfer(token, to, amount, PUSH_GAS)) return;',
    replace: 'TokenCalls.tryTransfer(token, to, amount, PUSH_GAS);',
  },
  {
    label: 'delivery: gas unchecked',
    file: payouts,
    find: '        _requirePushGas();\n        return _move',
    replace: '        return _move',
  },
  {
    label: 'delivery: all gas',
    file: payouts,
    find: 'return _move(token, to, amount, PUSH_GAS)',
    replace: 'return _move(token, to, amount, gasleft())',
  },
  {
    label: 'fees: replaced',
    file: payouts,
    find: '_fees[token] += amount',
    replace: '_fees[token] = amount',
  },
  {
    label: 'claim: credit kept',
    file: payouts,
    find: '        delete _credits[msg.sender][token];\n',
    replace: '',
  },
  {
    label: 'collect: fees kept',
    file: payouts,
    find: '        delete _fees[token];\n',
    replace: '',
  },
  {
    label: 'claim: nothing owed',
    file: payouts,
    find: '        if (amount == 0) revert NothingOwed(owner, token);\n',
    replace: '',
  },
  {
    label: 'revert: silent',
    file: payouts,
    find: '            if gt(returndatasize(), 0x20) {',
    replace: '            if 0 {',
  },
  {
    label: 'token: false is a success',
    file: tokenCalls,
    find: 'eq(mload(0), 1)))',
    replace: '1))',
  },
  {
    label: 'token: failure is a success',
    file: tokenCalls,
    find: 'default { done := and(succeeded, and(',
    replace: 'default { done := and(1, and(',
  },
  {
    label: 'token: silence of nobody is a success',
    file: tokenCalls,
    find: 'gt(extcodesize(token), 0)',
    replace: '1',
  },
  {
    label: 'token: silence is a refusal',
    file: tokenCalls,
    find: 'case 0 { done := and(succeeded, gt(extcodesize(token), 0)) }',
    replace: 'case 0 { done := 0 }',
  },
  {
    label: 'token: a balance of one byte',
    file: tokenCalls,
    find: 'answered := and(answered, gt(returndatasize(), 0x1f))',
    replace: 'answered := answered',
  },
  {
    label: 'solve: past the deadline',
    file: deliveries,
    find: '        if (block.timestamp > deadline) revert DeadlinePassed(deadline);\n',
    replace: '',
  },
  {
    label: 'solve: not at the deadline',
    file: deliveries,
    find: 'if (block.timestamp > deadline)',
    replace: 'if (block.timestamp >= deadline)',
  },
  {
    label: 'solve: an id of another chain',
    file: deliveries,
    find: 'if (IntentId.chainOf(intentId) != sourceChainId)',
    replace: 'if (false)',
  },
  {
    label: 'solve: twice',
    file: deliveries,
    find: '        if (sequence != 0) revert AlreadySolved(IntentId.pack(block.chainid, sequence));\n',
    replace: '',
  },
  {
    label: 'solve: key without the terms',
    file: deliveries,
    find: 'abi.encode(sourceChainId, intentId, paramsHash, tokenB',
    replace: 'abi.encode(sourceChainId, intentId, bytes32(0), tokenB',
  },
  {
    label: 'solve: key without the caller',
    file: deliveries,
    find: 'tokenB, msg.sender, listHash)',
    replace: 'tokenB, address(0), listHash)',
  },
  {
    label: 'solve: key without the list',
    file: deliveries,
    find: 'tokenB, msg.sender, listHash)',
    replace: 'tokenB, msg.sender, bytes32(0))',
  },
  {
    label: 'solve: key without the token',
    file: deliveries,
    find: 'paramsHash, tokenB, msg.sender, listHash',
    replace: 'paramsHash, address(0), msg.sender, listHash',
  },
  {
    label: 'solve: time not recorded',
    file: deliveries,
    find: '(sequence, uint64(block.timestamp))',
    replace: '(sequence, uint64(0))',
  },
  {
    label: 'solve: credited without being pulled',
    file: deliveries,
    find: '        _pull(tokenB, refused);\n',
    replace: '',
  },
  {
    label: 'solve: refused without a credit',
    file: deliveries,
    find: '            _refused[recipient][tokenB] += amount;\n',
    replace: '',
  },
  {
    label: 'solve: credit replaced',
    file: deliveries,
    find: '_refused[recipient][tokenB] += amount',
    replace: '_refused[recipient][tokenB] = amount',
  },
  {
    label: 'solve: pulls the last refusal alone',
    file: deliveries,
    find: 'refused += amount;',
    replace: 'refused = amount;',
  },
  {
    label: 'solve: to nobody',
    file: deliveries,
    find: 'recipient == address(0) || recipient == address(this)',
    replace: 'recipient == address(this)',
  },
  {
    label: 'solve: to the bridge',
    file: deliveries,
    find: 'recipient == address(0) || recipient == address(this)',
    replace: 'recipient == address(0)',
  },
  {
    label: 'solve: amounts of nothing',
    file: deliveries,
    find: '            if (amount == 0) revert ZeroAmount(i);\n',
    replace: '',
  },
  {
    label: 'solve: 201 recipients',
    file: deliveries,
    find: 'MAX_RECIPIENTS = 200',
    replace: 'MAX_RECIPIENTS = 201',
  },
  {
    label: 'solve: no recipients',
    file: deliveries,
    find: 'count == 0 || count > MAX',
    replace: 'count > MAX',
  },
  {
    label: 'solve: lists of different length',
    file: deliveries,
    find: ' || count != amounts.length',
    replace: '',
  },
  {
    label: 'solve: announces less',
    file: deliveries,
    find: '            total += amount;\n            if (_tryMove(tokenB, recipient, amount)) continue;',
    replace:
      '            if (_tryMove(tokenB, recipient, amount)) continue;\n            total += amount;',
  },
  {
    label: 'solve: re-entered',
    file: deliveries,
    find: 'uint256 deadline\n    ) external nonReentrant returns',
    replace: 'uint256 deadline\n    ) external returns',
  },
  {
    label: 'claim delivery: kept',
    file: deliveries,
    find: '        delete _refused[owner][token];\n',
    replace: '',
  },
  {
    label: 'claim delivery: to the caller',
    file: deliveries,
    find: '_pay(token, owner, amount)',
    replace: '_pay(token, msg.sender, amount)',
  },
  {
    label: 'claim delivery: re-entered',
    file: deliveries,
    find: 'function claimDelivery(address owner, address token) external nonReentrant',
    replace: 'function claimDelivery(address owner, address token) external',
  },
  {
    label: 'stake: without a sealing key',
    file: stakes,
    find: '        if (_sealingKeys[msg.sender].y == 0) revert NoSealingKey(msg.sender);\n',
    replace: '',
  },
  {
    label: 'stake: without tokens',
    file: stakes,
    find: '        _pull(token, amount);\n',
    replace: '',
  },
  {
    label: 'stake: of nothing',
    file: stakes,
    find: 'amount == 0 || amount > type(uint96).max',
    replace: 'amount > type(uint96).max',
  },
  {
    label: 'stake: truncated',
    file: stakes,
    find: 'amount == 0 || amount > type(uint96).max',
    replace: 'amount == 0',
  },
  {
    label: 'stake: re-entered',
    file: stakes,
    find: 'function stake(address token, uint256 amount) external nonReentrant',
    replace: 'function stake(address token, uint256 amount) external',
  },
  {
    label: 'unstake: what is locked',
    file: stakes,
    find: '        _requireFree(held, msg.sender, tokenIndex, amount);\n',
    replace: '',
  },
  {
    label: 'unstake: kept',
    file: stakes,
    find: '        held.total -= _stakeable(amount);\n',
    replace: '        _stakeable(amount);\n',
  },
  {
    label: 'unstake: still backs bids while it is paid',
    file: stakes,
    find: `        held.total -= _stakeable(amount);
        emit StakeRemoved(msg.sender, token, amount);
        _pay(token, msg.sender, amount);
`,
    replace: `        emit StakeRemoved(msg.sender, token, amount);
        _pay(token, msg.sender, amount);
        held.total -= _stakeable(amount);
`,
  },
  {
    label: 'unstake: re-entered',
    file: stakes,
    find: 'function unstake(address token, uint256 amount) external nonReentrant',
    replace: 'function unstake(address token, uint256 amount) external',
  },
  {
    label: 'stake: shown of unknown tokens',
    file: stakes,
    find: '        if (!_isKnown(token)) return (0, 0);\n',
    replace: '',
  },
  {
    label: 'lock: without free stake',
    file: stakes,
    find: '        _requireFree(held, solver, tokenIndex, bond);\n',
    replace: '',
  },
  {
    label: 'lock: nothing',
    file: stakes,
    find: '        held.locked += uint128(bond);\n',
    replace: '',
  },
  {
    label: 'forfeit: from the lock alone',
    file: stakes,
    find: '        held.total -= uint128(bond);\n',
    replace: '',
  },
  {
    label: 'forfeit: stays locked',
    file: stakes,
    find: '        held.total -= uint128(bond);\n        held.locked -= uint128(bond);\n',
    replace: '        held.total -= uint128(bond);\n',
  },
  {
    label: 'forfeit: to the caller',
    file: stakes,
    find: '_push(_tokenAt(tokenIndex), FORFEIT_RECEIVER, bond)',
    replace: '_push(_tokenAt(tokenIndex), msg.sender, bond)',
  },
  {
    label: 'forfeit: to the treasury',
    file: stakes,
    find: '_push(_tokenAt(tokenIndex), FORFEIT_RECEIVER, bond)',
    replace: '_push(_tokenAt(tokenIndex), treasury, bond)',
  },
  {
    label: 'free: all of it',
    file: stakes,
    find: 'uint256 free = held.total - held.locked;',
    replace: 'uint256 free = held.total;',
  },
  {
    label: 'sealing key: changed later',
    file: stakes,
    find: '        if (_sealingKeys[msg.sender].y != 0) revert SealingKeyIsSet(msg.sender);\n',
    replace: '',
  },
  {
    label: 'sealing key: off the curve',
    file: stakes,
    find: '        if (!Secp256k1.isOnCurve(x, y)) revert NotOnCurve(x, y);\n',
    replace: '',
  },
  {
    label: 'sealing key: not in lowest terms',
    file: curve,
    find: '        if (x >= P || y >= P) return false;\n',
    replace: '',
  },
  {
    label: 'sealing key: another curve',
    file: curve,
    find: 'P), 7, P)',
    replace: 'P), 8, P)',
  },
  {
    label: 'id: sequence from zero',
    file: creation,
    find: '++_sequence)',
    replace: '_sequence++)',
  },
]
