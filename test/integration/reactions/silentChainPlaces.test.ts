import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Queue, startQueue } from '../../../services/relayer/reconciler/startQueue.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

const [SILENT, HEALTHY] = [84_532, 2_651_420]

let postgres: PostgresUnderTest
let queue: Queue
const begun: IntentKey[] = []
const answered = Promise.withResolvers<void>()

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  queue = await startQueue({
    databaseUrl: postgres.databaseUrl,
    concurrency: 2,
    placeMs: 50,
    react: async (key) => {
      begun.push(key)
      if (key.sourceChainId === SILENT) await answered.promise
    },
    onProblem: () => {},
  })
})
afterAll(async () => {
  answered.resolve()
  await queue?.stop()
  await queue?.pool.end()
  await postgres?.stop()
})

it('intents of a silent chain leave places to those of others, and each is worked at once at a time', async () => {
  const silent = Array.from({ length: 8 }, (_, at) => {
    return { sourceChainId: SILENT, intentId: BigInt(at + 1) }
  })
  await queue.add(silent)
  await expect.poll(() => begun.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await queue.add([{ sourceChainId: HEALTHY, intentId: 1n }])
  const chains = () => begun.map(({ sourceChainId }) => sourceChainId)
  await expect.poll(chains, { timeout: 20_000 }).toContain(HEALTHY)
  expect(chains().filter((one) => one === SILENT)).toHaveLength(silent.length)
})
