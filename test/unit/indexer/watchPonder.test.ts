import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
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

test('an index that waits until it has caught up with another one says so once, and asks the providers only now and then', async () => {
  let state = 'backfilling'
  let probes = 0
  const server = createServer((_, response) => {
    probes += 1
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const over = new AbortController()
  onTestFinished(() => {
    over.abort()
    server.close()
  })
  const lines: string[] = []
  const waiting = { state: 'live', active: false, is_ready: true, has_checkpoint: true }
  const supervision = {
    chain: {
      name: 'base_sepolia',
      chainId: 84_532,
      rpcUrls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    },
    pool: {
      query: async (text: string) => ({
        rows: [text.includes('app.projection ') ? waiting : { block: '7', finalized: '3' }],
        rowCount: 1,
      }),
    },
    log: { debug() {}, warn() {}, info: (_: object, line: string) => lines.push(line) },
    report: (change: Partial<ChainStatus>) => {
      state = change.state ?? state
    },
    status: () => ({ state, progress: 0, problem: null }),
  } as unknown as Supervision
  void watchPonder(supervision, {} as never, over.signal)
  await expect.poll(() => probes).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(lines).toEqual([expect.stringContaining('until this one has caught up')])
  // Each check asks for the chain's id, head and client.
  expect(probes).toBeLessThanOrEqual(3 * 3)
})
