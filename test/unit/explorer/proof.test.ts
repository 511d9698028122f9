import { expect, test } from 'vitest'
import { checkOfCode } from '../../../api/explorer/browser/proof/checkOfCode.ts'
import { compareRecord } from '../../../api/explorer/browser/proof/compareRecord.ts'
import { confirmByNode } from '../../../api/explorer/browser/proof/confirmByNode.ts'
import { eventChecks } from '../../../api/explorer/browser/proof/steps.ts'
import type { SourceFacts } from '../../../src/intent/facts.ts'

const FACTS = {
  ...{ sender: '0xab', destChainId: 84532, tokenA: '0x01', tokenB: '0x02' },
  ...{ amountA: 10n, expectedAmountB: 9n, reward: 1n },
  ...{ solver: null, winningAmountB: null, payout: null, fee: null },
} as unknown as SourceFacts

const RECORD = {
  ...{ sender: '0xAB', destChainId: '84532', tokenA: '0x01', tokenB: '0x02' },
  ...{ amountA: '10', expectedAmountB: '9', reward: '1', solverAddress: '0x03' },
}

test('a record is compared field by field, as far as its events prove them', () => {
  expect(compareRecord(RECORD, FACTS)).toEqual({ proven: 7, different: [] })
  const solved = { ...FACTS, solver: '0x04' } as SourceFacts
  expect(compareRecord(RECORD, solved)).toEqual({ proven: 8, different: ['solverAddress'] })
  const { amountA: _, ...without } = RECORD
  expect(compareRecord(without, FACTS).different).toEqual(['amountA'])
})

test('what comes after a failed check isn’t claimed', () => {
  const states = (failed: Parameters<typeof eventChecks>[0]) =>
    eventChecks(failed).map(({ state }) => state)
  expect(states(checkOfCode('HEADER_HASH_MISMATCH'))[0]).toBe('failed')
  expect(states('log')).toEqual(['passed', 'passed', 'failed', 'waiting'])
  expect(states(checkOfCode('NOT_A_BRIDGE_EVENT'))).toEqual([
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
  expect(await confirmByNode({ request }, BLOCK)).toMatchObject({ state })
  const params = ['0x12', false]
  if (state !== 'elsewhere')
    expect(asked).toContainEqual({ method: 'eth_getBlockByNumber', params })
})

test('a wallet’s node that fails says nothing', async () => {
  const request = () => Promise.reject(new Error('no'))
  expect(await confirmByNode({ request }, BLOCK)).toMatchObject({ state: 'unknown' })
})
