import { expect, test } from 'vitest'
import { compareIndexedRecord } from '../../../api/explorer/browser/proof/compareIndexedRecord.ts'
import { confirmBlockByWalletNode } from '../../../api/explorer/browser/proof/confirmBlockByWalletNode.ts'
import { findFailedCheck } from '../../../api/explorer/browser/proof/findFailedCheck.ts'
import { eventChecks } from '../../../api/explorer/browser/proof/verificationStep.ts'
import type { KnownIntent, SourceFacts } from '../../../src/intent/intentFacts.ts'

const SOURCE = {
  sender: '0xab',
  destChainId: 84532,
  tokenA: '0x01',
  tokenB: '0x02',
  phase: 'open',
  amountA: 10n,
  expectedAmountB: 9n,
  reward: 1n,
  solver: null,
  winningAmountB: null,
  payout: null,
  fee: null,
} as unknown as SourceFacts

const facts = (source: Partial<SourceFacts> = {}): KnownIntent => {
  return { source: { ...SOURCE, ...source }, deliveries: [] }
}

const RECORD = {
  sender: '0xAB',
  destChainId: '84532',
  tokenA: '0x01',
  tokenB: '0x02',
  amountA: '10',
  expectedAmountB: '9',
  reward: '1',
  status: 'pending',
  isTerminal: false,
  solverAddress: null,
  payout: null,
}

const SAME = { different: [], unproven: [] }

test('a record is compared field by field, as far as its events prove them', () => {
  expect(compareIndexedRecord(RECORD, facts())).toEqual({ proven: 7, ...SAME })
  const solved = compareIndexedRecord(
    { ...RECORD, solverAddress: '0x03' },
    facts({ solver: '0x04' }),
  )
  expect(solved).toEqual({ proven: 8, different: ['solverAddress'], unproven: [] })
  const { amountA: _, ...without } = RECORD
  expect(compareIndexedRecord(without, facts()).different).toEqual(['amountA'])
})

test('what a record says and no event shows isn’t proven', () => {
  const paid = { ...RECORD, solverAddress: '0x03', payout: '5' }
  expect(compareIndexedRecord(paid, facts()).unproven).toEqual(['solverAddress', 'payout'])
  for (const status of ['completed', 'cancelled', 'settled'])
    expect(compareIndexedRecord({ ...RECORD, status }, facts()).unproven).toEqual(['status'])
  const ended = { ...RECORD, status: 'expired', isTerminal: true }
  expect(compareIndexedRecord(ended, facts()).unproven).toEqual(['status'])
  expect(compareIndexedRecord({ ...ended, isTerminal: false }, facts())).toMatchObject(SAME)
  expect(compareIndexedRecord(ended, facts({ phase: 'expired' }))).toMatchObject(SAME)
})

test('a record’s status isn’t another than that of the proven events', () => {
  const unproven = (status: string, phase: SourceFacts['phase'], isTerminal = false) =>
    compareIndexedRecord({ ...RECORD, status, isTerminal }, facts({ phase })).unproven
  for (const status of ['pending', 'solving', 'failed', 'expired', 'settled', 'completed'])
    expect(unproven(status, 'completed')).toEqual(['status'])
  expect(unproven('completed', 'completed', true)).toEqual([])
  expect(unproven('pending', 'deposited')).toEqual(['status'])
  expect(unproven('solving', 'bidding')).toEqual(['status'])
  for (const status of ['solving', 'failed']) expect(unproven(status, 'deposited')).toEqual([])
  expect(unproven('pending', 'bidding', true)).toEqual(['status'])
})

test('what comes after a failed check isn’t claimed', () => {
  const states = (failed: Parameters<typeof eventChecks>[0]) =>
    eventChecks(failed).map(({ state }) => state)
  expect(states(findFailedCheck('HEADER_HASH_MISMATCH'))[0]).toBe('failed')
  expect(states('log')).toEqual(['passed', 'passed', 'failed', 'waiting'])
  expect(states(findFailedCheck('NOT_A_BRIDGE_EVENT'))).toEqual([
    ...['passed', 'passed', 'passed', 'failed'],
  ])
  expect(states(null)).toEqual(Array(4).fill('passed'))
})

const BLOCK = { chainId: 84532, blockNumber: 18, blockHash: '0xaa' } as const

test.each([
  ['passed', '0x14a34', { hash: '0xaa' }],
  ['failed', '0x14a34', { hash: '0xbb' }],
  ['unknown', '0x14a34', null],
  ['elsewhere', '0x1', { hash: '0xaa' }],
] as const)('a block that a wallet’s node is asked for: %s', async (state, chainId, block) => {
  const asked: unknown[] = []
  const request = async (call: { method: string }) => {
    asked.push(call)
    return call.method === 'eth_chainId' ? chainId : block
  }
  expect(await confirmBlockByWalletNode({ request }, BLOCK)).toMatchObject({ state })
  const params = ['0x12', false]
  if (state !== 'elsewhere')
    expect(asked).toContainEqual({ method: 'eth_getBlockByNumber', params })
})

test('a wallet’s node that fails says nothing', async () => {
  const request = () => Promise.reject(new Error('no'))
  expect(await confirmBlockByWalletNode({ request }, BLOCK)).toMatchObject({ state: 'unknown' })
})
