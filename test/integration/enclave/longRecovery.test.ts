import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import {
  type EventPart,
  type RecoveringEnclave,
  recoverChain,
} from '../../../services/relayer/recovery/recoverChain.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { ANCHORED_CHAIN, generateAnchoredHistory } from '../../anchoredHistory.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

/** Of one part: more than are asked of the enclave at once, and than are written in one transaction. */
const INTENTS = 6_000

let postgres: PostgresUnderTest
let client: pg.Client
let enclave: Enclave
const parts: EventPart[] = []
beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  client = await postgres.connect()
  enclave = await createEnclave({
    roots: [new Uint8Array(32).fill(3)],
    chains: [],
    decryptionThreads: 2,
  })
  for await (const part of generateAnchoredHistory(enclave, INTENTS, INTENTS)) parts.push(part)
})
afterAll(() => postgres?.stop())

function run(asked: RecoveringEnclave) {
  async function* history() {
    yield* parts
  }
  const chain = { chain: ANCHORED_CHAIN, bridgeOn: () => null }
  return recoverChain({ ...chain, parts: history(), enclave: asked, client })
}

it('a run that ends within a part continues after what it has written, and loses no blob', async () => {
  let opened = 0
  const counting = (most: number): RecoveringEnclave => ({
    ...enclave,
    openBlobs: async (request) => {
      if (opened + request.blobs.length > most) throw new Error('the power is gone')
      opened += request.blobs.length
      return enclave.openBlobs(request)
    },
  })
  await expect(run(counting(5_000))).rejects.toThrow('the power is gone')
  const { rows: written } = await client.query(
    `select (select count(*)::integer from app.bundle) as bundles, next_block::integer as next
     from app.recovery`,
  )
  expect(written[0].bundles).toBeGreaterThan(0)
  expect(written[0].bundles).toBeLessThanOrEqual(5_000)
  // A block is read again rather than left out.
  expect(written[0].next).toBeLessThanOrEqual(written[0].bundles + 1)
  opened = 0
  const book = await run(counting(INTENTS))
  expect(book.intents.size).toBe(INTENTS)
  expect(opened).toBe(INTENTS - written[0].next + 1)
  const { rows } = await client.query(
    `select count(*)::integer as bundles, (select next_block::integer from app.recovery) as next
     from app.bundle`,
  )
  expect(rows[0]).toMatchObject({ bundles: INTENTS, next: INTENTS + 1 })
})
