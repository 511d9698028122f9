import { expect, test } from 'vitest'
import type { ChainStatus, Supervision } from '../../../services/indexer/chainSupervision.ts'
import { watchPonder } from '../../../services/indexer/follow/watchPonder.ts'

type Answer = { rows: object[]; rowCount: number }

test('a look that outlasts its Ponder does not call the waiting chain live', async () => {
  const reported: Partial<ChainStatus>[] = []
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Answer>()
  const queries = [
    () => {
      asked.resolve()
      return answer.promise
    },
    async () => ({ rows: [{ block: '7', finalized: '3' }], rowCount: 1 }),
  ]
  const supervision = {
    chain: { name: 'base_sepolia', chainId: 84_532 },
    pool: { query: () => queries.shift()?.() ?? new Promise(() => {}) },
    log: { debug() {}, info() {}, warn() {} },
    report: (change: Partial<ChainStatus>) => void reported.push(change),
    status: () => ({ state: 'waiting', progress: 0, problem: null }),
  } as unknown as Supervision
  const over = new AbortController()
  void watchPonder(supervision, {} as never, over.signal)
  await asked.promise
  over.abort()
  const live = { state: 'live', active: true, is_ready: true, has_checkpoint: true }
  answer.resolve({ rows: [live], rowCount: 1 })
  await new Promise((resolve) => setImmediate(resolve))
  expect(queries).toEqual([])
  expect(reported).toEqual([])
})
