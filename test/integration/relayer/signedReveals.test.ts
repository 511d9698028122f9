import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import {
  deleteUnpaidEntries,
  insertEntries,
  toStealthEntries,
} from '../../../services/relayer/recipients/entries/stealthEntryRows.ts'
import { attestSettlement } from '../../../services/relayer/settlement/requestDeliveryAttestations.ts'
import { revealRecipients } from '../../../services/relayer/settlement/revealRecipients.ts'
import type { Signing } from '../../../services/relayer/settlement/signingContext.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'

let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  // A statement waits for a lock here, for long on a busy machine.
  database = openDatabase({ databaseUrl: postgres.databaseUrl, statementTimeoutMs: 60_000 })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

const bytes = (length: number): Hex => `0x${'04'.repeat(length)}`

const source = {
  sourceChainId: 1,
  destChainId: 2,
  intentId: 7n,
  paramsHash: bytes(32),
  createdAt: 1,
  quorum: 1,
} as SourceFacts

const replaced = [
  {
    safeAddress: bytes(20),
    stealthAddress: bytes(20),
    saltNonce: 0n,
    viewTag: 0,
    tag: bytes(32),
    ephemeralPubKey: bytes(65),
    spendPubKey: bytes(65),
    viewPubKey: bytes(65),
    ticket: bytes(64),
    position: 0,
    index: 0x8000,
  },
]

const asked: unknown[] = []
const signed = { message: {}, signature: bytes(65), signer: bytes(20) }
const enclave = {
  revealToWinner: async () => ({ ...signed, sealed: '0x01', deliveryKey: bytes(32), replaced }),
  attestSettlement: async (request: unknown) => {
    asked.push(request)
    return signed
  },
} as unknown as Enclave

function signing(): Signing {
  return {
    db: database.db,
    enclaves: [enclave],
    proverOn: () => ({ deep: async () => ({ is: 'deep', evidence: {} }), forget: async () => {} }),
    readerOn: () => ({
      prove: async () => ({ evidence: { blockNumber: 1, storageProofs: [] }, timestamp: 1 }),
    }),
    judgeOn: () => ({ quorum: 1, isGenuine: () => true, operatorOf: async () => bytes(20) }),
  } as unknown as Signing
}

const deposit = { from: 0, head: 9, depth: 1 }

test('an intent that seems to end while its recipients are being revealed keeps their Safes', async () => {
  // As its anchor recorded them.
  await insertEntries(database.db, toStealthEntries(source, replaced))
  const holder = await database.pool.connect()
  await holder.query('begin')
  await holder.query('lock table app.signed in exclusive mode')
  const revealing = revealRecipients(signing(), source, deposit)
  const isWaiting = async () => {
    const { rowCount } = await database.pool.query(
      `select from pg_locks where not granted and relation = 'app.signed'::regclass`,
    )
    return (rowCount ?? 0) > 0
  }
  await until(isWaiting, 'the reveal waits to be stored')
  await deleteUnpaidEntries(database.db, source)
  await holder.query('commit')
  holder.release()
  expect((await revealing).is).toBe('revealed')
  const listed = () => database.pool.query('select from app.stealth_entry')
  expect((await listed()).rowCount).toBe(1)
  await deleteUnpaidEntries(database.db, source)
  expect((await listed()).rowCount).toBe(1)
})

test('a call to attest a delivery tells the enclave its chain, which may be silent', async () => {
  await attestSettlement(signing(), source, deposit, deposit)
  expect(asked).toMatchObject([{ destChainId: source.destChainId }])
})
