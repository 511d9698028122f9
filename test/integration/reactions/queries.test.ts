import { createHash } from 'node:crypto'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Transaction } from '../../../services/chain/transactions/transaction.ts'
import { ATTESTATION_VALIDITY } from '../../../services/enclave/settlement/settlementTypedData.ts'
import {
  countDone,
  countReactions,
  countTransactions,
} from '../../../services/reactions/countReactions.ts'
import { findCandidates } from '../../../services/reactions/findCandidates.ts'
import { isStale } from '../../../services/reactions/isStale.ts'
import { loadSituation } from '../../../services/reactions/loadSituation.ts'
import { reactTo } from '../../../services/reactions/reactTo.ts'
import { readReactionsHealth } from '../../../services/reactions/readHealth.ts'
import { listStuck } from '../../../services/settlement/listStuck.ts'
import { settlementProgress } from '../../../services/settlement/settlementProgress.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database.ts'
import type { ChainsNow } from '../../../services/store/liveChains.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 2_000, seed: 3, until: 1_790_000_000 })
  database = openDatabase({ databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

/** An intent of the seed in this phase. */
async function someIntent(phase: string) {
  const client = await postgres.connect()
  const { rows } = await client.query(
    `select source_chain_id::int as "sourceChainId", intent_id as "intentId" from cairn.intent
     where phase = $1 order by intent_id desc limit 1`,
    [phase],
  )
  const { sourceChainId, intentId } = rows[0]
  return { client, sourceChainId, intentId: BigInt(intentId) }
}

it('what may be wanted is found by its rows, and not while it pauses or was refused', async () => {
  const find = () => findCandidates(database.db, { refundAfter: 0, limit: 10_000 })
  const found = await find()
  expect(found.length).toBeGreaterThan(0)
  const [first] = found as [(typeof found)[0]]
  const client = await postgres.connect()
  for (const kind of ['store', 'anchor', 'settle', 'refund']) {
    await client.query(
      `insert into app.reaction (kind, source_chain_id, intent_id, state)
       values ($1, $2, $3, 'refused')`,
      [kind, first.sourceChainId, String(first.intentId)],
    )
  }
  const isThere = (list: typeof found) => list.some(({ intentId }) => intentId === first.intentId)
  expect(isThere(await find())).toBe(false)
  await client.query(`update app.reaction set state = 'waiting'`)
  expect(isThere(await find())).toBe(true)
  await client.query(`update app.reaction set next_try_at = now() + interval '1 hour'`)
  expect(isThere(await find())).toBe(false)
  await client.query('delete from app.reaction')
})

it('what is stuck is told with its cause, the longest waiting first', async () => {
  const { client, sourceChainId, intentId } = await someIntent('deposited')
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, reason, wanted_since)
     values ('settle', $1, $2, 'TRANSACTION', now() - interval '1 hour')`,
    [sourceChainId, String(intentId)],
  )
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, problem,
       requested_at)
     values ('settle', $1, $2, '0x', '0x', '0x', 'OUT_OF_GAS', now() - interval '1 hour'),
            ('deploySafe', $1, 'x', '0x', '0x', '0x', null, now() - interval '2 hours')`,
    [sourceChainId, String(intentId)],
  )
  const stuck = await listStuck(database.db, { afterSeconds: 60, limit: 10_000 })
  const ours = stuck.filter(({ what }) => what !== 'recipients')
  expect(ours).toMatchObject([
    { what: 'deploySafe', cause: 'NO_BLOCK', intentId: null },
    { what: 'settle', cause: 'OUT_OF_GAS', intentId, sourceChainId },
  ])
  expect(await listStuck(database.db, { afterSeconds: 9_000, limit: 10_000 })).not.toContainEqual(
    expect.objectContaining({ what: 'settle' }),
  )
  expect(await countTransactions(database.db)).toHaveLength(2)
  expect(await countReactions(database.db)).toMatchObject([
    { kind: 'settle', state: 'waiting', reason: 'TRANSACTION', count: 1 },
  ])
  expect(await countDone(database.db)).toEqual([])
  expect(await readReactionsHealth(database.db)).toMatchObject({ status: 'stopped' })
  expect(await settlementProgress(database.db, { sourceChainId, intentId })).toMatchObject({
    reaction: { state: 'waiting', reason: 'TRANSACTION' },
    ...{ mined: null, problem: 'OUT_OF_GAS', isAlive: false, senderProblem: null },
  })
})

const BLOB: Hex = `0x01${'ab'.repeat(511)}`

it('an anchored intent whose blobs name nobody is stuck, until recipients are stored or, with a deposit, for good', async () => {
  for (const phase of ['bidding', 'deposited']) {
    const { client, sourceChainId, intentId } = await someIntent(phase)
    const key = [sourceChainId, String(intentId)]
    const isListed = async () => {
      const stuck = await listStuck(database.db, { afterSeconds: 0, limit: 10_000 })
      return stuck.some((one) => one.cause === 'NAMES_NOBODY' && one.intentId === intentId)
    }
    const store = (sealed: string) =>
      client.query(
        `insert into app.bundle (source_chain_id, intent_id, sealed, fee_bps, origin, stored_at)
         values ($1, $2, decode(substr($3, 3), 'hex'), 250, 'plaintext', 1)`,
        [...key, sealed],
      )
    const anchor = (blob: string) =>
      client.query(
        `update cairn_${sourceChainId}_seeded.event set args = args || jsonb_build_object('encryptedBlob', $3::text)
         where source_chain_id = $1 and intent_id = $2 and type = 'IntentAnchored'`,
        [...key, blob],
      )
    expect(await isListed()).toBe(true)
    await client.query(
      `insert into app.recovery (chain_id, bridge, next_block) values ($1, '0x', 1)`,
      [sourceChainId],
    )
    expect(await isListed()).toBe(false)
    await client.query('delete from app.recovery')
    // Another blob than the chain's: it is appended while nobody has deposited.
    await store(BLOB)
    expect(await isListed()).toBe(phase === 'deposited')
    await anchor(BLOB)
    expect(await isListed()).toBe(false)
    await anchor('0x01')
    await client.query('delete from app.bundle')
  }
})

it('stored recipients that something else was anchored for are to be appended, until a deposit', async () => {
  const client = await postgres.connect()
  const { rows } = await client.query(
    `select distinct on (phase) source_chain_id::int as chain, intent_id as id, phase
     from cairn.intent where fee_bps is not null and phase in ('bidding', 'deposited')`,
  )
  const chains = readyChains(rows.map(({ chain }) => chain))
  for (const { chain, id, phase } of rows) {
    const key = { sourceChainId: chain, intentId: BigInt(id) }
    const toAppend = async () => {
      const situation = await loadSituation(database.db, chains, key)
      return situation?.toAppend.map(({ sealed }) => sealed)
    }
    const isCandidate = async () => {
      const found = await findCandidates(database.db, { refundAfter: 1e9, limit: 10_000 })
      return found.some(({ intentId }) => intentId === key.intentId)
    }
    const before = await isCandidate()
    await client.query(
      `insert into app.bundle (source_chain_id, intent_id, sealed, fee_bps, origin, stored_at)
       values ($1, $2, $3, 250, 'plaintext', 1)`,
      [chain, id, Buffer.from(BLOB.slice(2), 'hex')],
    )
    expect(await toAppend()).toEqual(phase === 'bidding' ? [BLOB] : [])
    expect(await isCandidate()).toBe(phase === 'bidding' || before)
    await client.query('delete from app.bundle')
  }
  expect(rows.map(({ phase }) => phase)).toEqual(['bidding', 'deposited'])
})

/** Chains that are ready, their heads wherever. */
function readyChains(chainIds: readonly number[]): ChainsNow {
  const heads = new Map(chainIds.map((chainId) => [chainId, { timestamp: 1, blockNumber: 1 }]))
  const ready = chainIds.map((chainId) => ({ chainId, bridge: { terms: {} } }))
  return { ready, heads } as unknown as ChainsNow
}

describe('a transaction that waits', () => {
  /** A row of `app.transaction` as its sender asks about it. */
  function waiting(kind: string, chainId: number, effect: string, data: Hex): Transaction {
    return { kind, chainId, effect, data } as Transaction
  }

  it('to anchor is stale once the creation, the stored blob or its fee is another', async () => {
    const { client, sourceChainId, intentId } = await someIntent('open')
    const id = String(intentId)
    const { rows } = await client.query(
      'select create_tx_hash as creation from cairn.intent where intent_id = $1',
      [id],
    )
    const { creation } = rows[0]
    const isStaleFor = (named: string, feeBps: number, blob: Hex) => {
      const args = [intentId, feeBps, blob] as const
      const data = encodeFunctionData({
        ...{ abi: bridgeIntentV2Abi, functionName: 'anchorIntent', args },
      })
      return isStale(database.db, waiting('anchor', sourceChainId, `${id}:${named}`, data))
    }
    expect(await isStaleFor(creation, 250, BLOB)).toBe(true)
    await client.query(
      `insert into app.bundle (source_chain_id, intent_id, sealed, fee_bps, origin, stored_at)
       values ($1, $2, $3, 250, 'plaintext', 1)`,
      [sourceChainId, id, Buffer.from(BLOB.slice(2), 'hex')],
    )
    expect(await isStaleFor(creation, 250, BLOB)).toBe(false)
    expect(await isStaleFor(`0x${'00'.repeat(32)}`, 250, BLOB)).toBe(true)
    expect(await isStaleFor(creation, 700, BLOB)).toBe(true)
    expect(await isStaleFor(creation, 250, `0x01${'cd'.repeat(511)}`)).toBe(true)
    // Whether the creation's own blob is the stored one.
    expect(await isStaleFor(creation, 250, '0x')).toBe(true)
    await client.query('update app.projection set state = $1', ['resuming'])
    expect(await isStaleFor(creation, 700, BLOB)).toBe(false)
    await client.query('update app.projection set state = $1', ['live'])
    await client.query('alter schema cairn rename to dropped')
    expect(await isStaleFor(creation, 700, BLOB)).toBe(false)
    await client.query('alter schema dropped rename to cairn')
    expect(await isStaleFor(creation, 700, BLOB)).toBe(true)
    await client.query('delete from app.bundle')
  })

  it('to append is stale once its blob is forgotten', async () => {
    const { client, sourceChainId, intentId } = await someIntent('bidding')
    const sealed = Buffer.from(BLOB.slice(2), 'hex')
    const digest = createHash('sha256').update(sealed).digest()
    const effect = `${intentId}:0x${digest.toString('hex')}`
    const ask = () => isStale(database.db, waiting('append', sourceChainId, effect, '0x'))
    expect(await ask()).toBe(true)
    await client.query(
      `insert into app.appended_blob (source_chain_id, intent_id, digest, sealed, purpose, stored_at)
       values ($1, $2, $3, $4, 'bundle', 1)`,
      [sourceChainId, String(intentId), digest, sealed],
    )
    expect(await ask()).toBe(false)
    await client.query('delete from app.appended_blob')
  })

  it('to settle is stale once the winner has deposited anew since it was attested', async () => {
    const { rows } = await database.pool.query(
      `select i.source_chain_id as chain, i.intent_id as id, i.deposited_at as at, i.solver
       from cairn.intent i join cairn.delivery d on d.intent_id = i.intent_id
         and d.solver = i.solver and d.dest_chain_id = i.dest_chain_id
       where i.phase = 'deposited' limit 1`,
    )
    const [{ chain, id, at, solver }] = rows
    const isStaleIfAttestedAt = (attestedAt: number) => {
      const settlement = {
        ...{ intentId: BigInt(id), solver, destChainId: 1n, chain2IntentId: 1n, amountB: 1n },
        ...{ solveTxHash: `0x${'00'.repeat(32)}` as const, feeBps: 250 },
        deadline: BigInt(attestedAt + ATTESTATION_VALIDITY),
      }
      const data = encodeFunctionData({
        abi: bridgeIntentV2Abi,
        functionName: 'settleIntent',
        args: [settlement, '0x'],
      })
      return isStale(database.db, waiting('settle', Number(chain), String(id), data))
    }
    expect(await isStaleIfAttestedAt(Number(at))).toBe(false)
    expect(await isStaleIfAttestedAt(Number(at) - 1)).toBe(true)
  })
})

it('a reaction that has waited long is looked at again, though its intent is gone', async () => {
  const client = await postgres.connect()
  const key = { sourceChainId: 84_532, intentId: (84_532n << 64n) + 999_999n }
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, wanted_since)
     values ('anchor', $1, $2, now() - interval '1 hour')`,
    [key.sourceChainId, String(key.intentId)],
  )
  const find = () => findCandidates(database.db, { refundAfter: 0, limit: 10_000 })
  expect(await find()).toContainEqual(key)
  const heads = new Map([[key.sourceChainId, { timestamp: 1, blockNumber: 1 }]])
  const chains = { current: async () => ({ ready: [], backfilling: [], heads }) }
  await reactTo({ vault: { db: database.db }, chains } as never, key)
  expect(await find()).not.toContainEqual(key)
})
