import { type Hex, pad } from 'viem'
import { expect, test } from 'vitest'
import { createRangeSizer } from '../../../services/chain/history/rangeSizer.ts'
import type { Provider, RpcRequest } from '../../../services/chain/rpcPool/provider.ts'
import { RpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { contractsFilter, fetchLogs } from '../../../services/indexer/history/historySource.ts'
import { quietBlocks } from '../../../services/indexer/history/probeQuietBlocks.ts'
import { formatFoldProgress } from '../../../services/indexer/tables/backfillChain.ts'

test('ranges widen where logs are rare, up to the limit', () => {
  const sizer = createRangeSizer({ first: 100, most: 50_000, target: 1_000 })
  for (let step = 0; step < 5; step++) sizer.recordAnswer({ blocks: sizer.width(), logs: 0 })
  expect(sizer.width()).toBe(50_000)
})

test('the width settles where an answer has the target number of logs', () => {
  const sizer = createRangeSizer({ first: 128, target: 1_000 })
  for (let step = 0; step < 5; step++) {
    sizer.recordAnswer({ blocks: sizer.width(), logs: sizer.width() * 200 })
  }
  expect(sizer.width()).toBe(5)
})

test('a refusal limits the width to the suggestion, or to half', () => {
  const suggested = createRangeSizer({ first: 10_000 })
  suggested.recordRefusal(10_000, 2_000)
  suggested.recordAnswer({ blocks: 2_000, logs: 0 })
  expect(suggested.width()).toBe(2_000)
  const halved = createRangeSizer({ first: 10_000 })
  halved.recordRefusal(10_000, undefined)
  halved.recordAnswer({ blocks: 5_000, logs: 0 })
  expect(halved.width()).toBe(5_000)
})

test('a history uses the width a provider suggests and shares it between ranges', async () => {
  const widths: number[] = []
  const send = async (requests: readonly RpcRequest[]) => {
    const { fromBlock, toBlock } = requests.at(-1)?.params[0] as { fromBlock: Hex; toBlock: Hex }
    const width = Number(toBlock) - Number(fromBlock) + 1
    widths.push(width)
    const header = { number: toBlock, hash: pad('0x1'), timestamp: '0x1' }
    const logs =
      width > 10 ? { error: new RpcError('refused', 'range too wide') } : { result: [] as const }
    return { answers: [{ result: header }, logs], provider: {} as Provider }
  }
  const source = {
    pool: { send } as RpcPool,
    signal: undefined,
    totalTimeoutMs: 0,
    hasVerifiableHeaders: false,
    filter: contractsFilter({ bridge: pad('0x1', { size: 20 }), vault: undefined }),
    suggestedRangeWidth: () => 10,
  }
  const sizer = createRangeSizer({ first: 100 })
  await fetchLogs(source, { from: 1, to: 20 }, sizer)
  expect(widths).toEqual([20, 10, 10])
  expect(sizer.width()).toBe(10)
})

test('probed blocks are spread over the range and have no logs', () => {
  const logs = [{ blockNumber: 110 }, { blockNumber: 111 }] as never
  const quiet = quietBlocks({ from: 100, to: 1_699, logs }, 16)
  expect(quiet.length).toBeGreaterThanOrEqual(15)
  expect(quiet.every((block) => block >= 100 && block <= 1_699)).toBe(true)
  expect(quiet).not.toContain(110)
  expect(new Set(quiet.map((block) => Math.floor((block - 100) / 100))).size).toBe(quiet.length)
  expect(quietBlocks({ from: 5, to: 5, logs: [] }, 16)).toEqual([5])
})

test('the progress line shows share, events, speed and time left', () => {
  const progress = {
    chain: 'base_mainnet',
    totalBlocks: 1_000,
    doneBlocks: 250,
    events: 12_000,
    elapsedMs: 60_000,
  }
  expect(formatFoldProgress(progress)).toBe(
    'base_mainnet ██████░░░░░░░░░░░░░░░░░░ 25 % of 1000 blocks, 12000 events (200/s), 3 min left',
  )
})
