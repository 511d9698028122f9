import { type Hex, pad } from 'viem'
import { expect, test } from 'vitest'
import {
  checkRangeConsistency,
  InconsistentRangeError,
} from '../../../services/indexer/history/checkRangeConsistency.ts'

const bridge = pad('0xb1', { size: 20 })
const [topic, other, blockHash, transactionHash, ofVault] = ['0x1', '0x2', '0x3', '0x4', '0x5'].map(
  (value) => pad(value as Hex),
) as [Hex, Hex, Hex, Hex, Hex]
const vault = pad('0xfa', { size: 20 })
const selectors = new Map([
  [bridge, new Set([topic])],
  [vault, new Set([ofVault])],
])
const filter = { addresses: [bridge, vault], topics: [topic, ofVault], selectors }
const end = { number: 9, hash: pad('0x9'), timestamp: 3 }
const logsBloom = `0x${'f'.repeat(512)}`
const blocks = [{ number: 7, hash: blockHash, timestamp: 1, logsBloom, transactions: [] }]
const transactions = [{ hash: transactionHash, from: bridge, blockHash }]
const log = {
  address: bridge,
  topics: [topic],
  data: '0x' as Hex,
  blockNumber: 7,
  blockHash,
  transactionHash,
  logIndex: 3,
}

function check(logs: (typeof log)[], range = { from: 5, to: 9 }) {
  return () => checkRangeConsistency({ ...range, logs, end, blocks, transactions }, filter)
}

test('requested logs that match their blocks and transactions are accepted', () => {
  expect(check([log, { ...log, logIndex: 4 }])).not.toThrow()
})

test.each([
  ['of another contract', { address: pad('0xb2', { size: 20 }) }, 'was not requested'],
  ['of another event', { topics: [other] }, 'was not requested'],
  ['of the bridge with an event of the vault', { topics: [ofVault] }, 'was not requested'],
  ['without an event', { topics: [] }, 'was not requested'],
  ['of a block outside the range', { blockNumber: 4 }, 'was not requested'],
  ['of a missing block', { blockNumber: 8 }, 'has no block'],
  ['of another fork', { blockHash: other }, 'has block hash'],
  ['with an index above the column’s maximum', { logIndex: 2 ** 31 }, 'an impossible index'],
  ['of a transaction in another block', { transactionHash: other }, 'is not in the block'],
])('a log %s is rejected', (_, change, reason) => {
  expect(check([{ ...log, ...change }])).toThrow(InconsistentRangeError)
  expect(check([{ ...log, ...change }])).toThrow(reason)
})

test('a duplicate log is rejected, and one that isn’t in the bloom', () => {
  expect(check([log, log])).toThrow('log 3 of block 7 is a duplicate')
  const dark = blocks.map((block) => ({ ...block, logsBloom: `0x1${'0'.repeat(511)}` }))
  expect(() =>
    checkRangeConsistency({ from: 5, to: 9, logs: [log], end, blocks: dark, transactions }, filter),
  ).toThrow('is not in the block’s bloom')
})

test('each block’s own bloom counts, whatever the block before admits', () => {
  const dark = { ...blocks[0]!, number: 8, hash: other, logsBloom: `0x1${'0'.repeat(511)}` }
  const later = { ...log, blockNumber: 8, blockHash: other, transactionHash: topic }
  const sent = [...transactions, { hash: topic, from: bridge, blockHash: other }]
  const range = { from: 5, to: 9, end, blocks: [...blocks, dark], transactions: sent }
  const reason = 'log 3 of block 8 is not in the block’s bloom'
  expect(() => checkRangeConsistency({ ...range, logs: [log, later] }, filter)).toThrow(reason)
})

test.each([
  ['after the range’s last block', [4], 'block 9 is earlier than block 7'],
  ['before the previous block', [2, 1], 'block 8 is earlier than block 7'],
])('a block time %s is rejected', (_, times, reason) => {
  const timed = times.map((timestamp, at) => ({ ...blocks[0]!, number: 7 + at, timestamp }))
  const range = { from: 5, to: 9, logs: [], end, blocks: timed, transactions }
  expect(() => checkRangeConsistency(range, filter)).toThrow(InconsistentRangeError)
  expect(() => checkRangeConsistency(range, filter)).toThrow(reason)
})
