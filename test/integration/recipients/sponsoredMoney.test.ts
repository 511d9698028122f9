import type pg from 'pg'
import { type Hex, keccak256, TransactionReceiptNotFoundError, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { DEFAULT_SPONSOR_LIMITS } from '../../../services/config/sponsorLimits.ts'
import {
  countForClient,
  noteSpending,
  requireBudget,
} from '../../../services/relayer/recipients/sponsored/sponsorBudget.ts'
import type { Sponsorship } from '../../../services/relayer/recipients/sponsored/sponsorContext.ts'
import { readGasAllowance } from '../../../services/relayer/recipients/sponsored/sponsoredGasQuota.ts'
import { sponsorTransaction } from '../../../services/relayer/recipients/sponsored/sponsorTransaction.ts'
import { ADVISORY_LOCK_CLASSES } from '../../../services/store/database/advisoryLocks.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'
import { describePaidSafes } from './describePaidSafes.ts'
import { indexIntent, LEAST, openSourceIndex, SOURCE } from './sourceIndex.ts'

// What the relayer counts before it pays for a Safe's transaction. The node is fake.

const CHAIN = 2651420
const ACCOUNT: Hex = `0x${'0a'.repeat(20)}`
const LISTED: Hex = `0x${'dd'.repeat(20)}`
const SPENT = { code: 'RELAY_BUDGET_SPENT' }
const addressOf = (name: string) => keccak256(toHex(name)).slice(0, 42) as Hex
const [SAFE, SIBLING, STRANGERS] = ['a Safe', 'its sibling', 'a stranger’s'].map(addressOf) as [
  Hex,
  Hex,
  Hex,
]
const INTENT = (BigInt(SOURCE) << 64n) | 1n

let postgres: PostgresUnderTest
let database: OpenDatabase
let client: pg.Client

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  client = await postgres.connect()
  await openSourceIndex(client)
  // The same token, at a lower minimum, on the other chain.
  await client.query(
    `insert into cairn_2651420_rows.bridge_token
       (chain_id, token, min_amount, max_amount, quorum, listed)
     values ($1, '0x' || repeat('a', 40), 1, 2, 1, true), ($1, $2, 1, 2, 1, true),
       ($1, '0x' || repeat('e', 40), 1, 2, 1, false)`,
    [CHAIN, LISTED],
  )
  await client.query(
    `insert into cairn_84532_rows.bridge_token
       (chain_id, token, min_amount, max_amount, quorum, listed)
     values ($1, '0x' || repeat('f', 40), 1, 2, 1, true)`,
    [SOURCE],
  )
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})
beforeEach(async () => {
  await client.query('truncate app.transaction, app.sponsored_client, app.stealth_entry cascade')
  await indexIntent(client, INTENT, CHAIN, {
    phase: 'completed',
    amountA: 7n * LEAST,
    feeBps: 250,
  })
  await issue(SAFE)
})

async function issue(safe: Hex, isStrangers = false): Promise<void> {
  await client.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, created_at, asked_by)
     values (sha256($3::text::bytea), $1, $2, $3, decode(repeat('04', 65), 'hex'), 1, $3, 0, '', 0,
       case when $4 then sha256('a') end)`,
    [CHAIN, String(INTENT), safe, isStrangers],
  )
}

type Paid = {
  safe?: Hex
  chainId?: number
  hoursAgo?: number
  wei?: { earlier?: number; spent?: number | null; reserved?: number }
  state?: string
  txHash?: Hex | null
  gas?: number
  round?: number
}

let effects = 0

/** Writes a sponsored transaction. @returns its id */
async function insertPaid(paid: Paid): Promise<number> {
  const { safe = SAFE, chainId = CHAIN, hoursAgo = 0, state = 'confirmed' } = paid
  const { txHash = null, gas = 1, round = 0, wei = {} } = paid
  effects += 1
  const { rows } = await client.query(
    `with t as (
       insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, state,
         gas_limit, tx_hash, round)
       values ('relaySafe', $1, $2, $3, $3, '0x', $3, $4, $5, $6, $7) returning id)
     insert into app.sponsored_transaction (transaction_id, kind, chain_id, safe_address,
       earlier_wei, spent_wei, reserved_wei, requested_at)
     select id, 'relaySafe', $1, $8, $9, $10, $11, now() - make_interval(hours => $12) from t
     returning transaction_id as id`,
    [
      ...[chainId, String(effects), ACCOUNT, state, gas, txHash, round],
      ...[safe, wei.earlier ?? 0, wei.spent ?? null, wei.reserved ?? 0, hoursAgo],
    ],
  )
  return Number(rows[0].id)
}

/** A sponsorship whose fake node shows a quiet chain. */
function sponsorshipWith(node: object = {}, change: Partial<Sponsorship> = {}): Sponsorship {
  const quiet = { getBlock: async () => ({ baseFeePerGas: 7n }), ...node }
  const nodes = {
    queryAll: async (query: (one: never) => Promise<unknown>) => [await query(quiet as never)],
    priorityFees: async () => ({ standard: 3n }),
  }
  return {
    db: database.db,
    chainId: CHAIN,
    account: ACCOUNT,
    limits: DEFAULT_SPONSOR_LIMITS,
    contracts: findSafeContracts(CHAIN),
    dataFees: { of: async () => 11n } as unknown as Sponsorship['dataFees'],
    tokens: [],
    confirmations: 2,
    nodes: nodes as unknown as Sponsorship['nodes'],
    ...change,
  }
}

/** Requests one of a Safe's transactions. */
const sponsor = (
  effect: Hex = '0x01',
  safeAddress = SAFE,
  { gas = 100n, client = null as string | null } = {},
) =>
  sponsorTransaction(
    sponsorshipWith(),
    { client, charge: () => {} },
    { kind: 'deploySafe', effect, safeAddress, to: ACCOUNT, data: '0x', gas },
  )

describe('a day’s budget', () => {
  const require = (change: object, limits: object = {}) =>
    requireBudget(
      database.db,
      { chainId: CHAIN, safeAddress: SAFE, cost: 0n, ...change },
      { perSafe: 9, weiPerDay: 100n, ...limits },
    )

  test('counts what its chain’s transactions of the last 24 hours cost, to the wei', async () => {
    await insertPaid({ hoursAgo: 23, wei: { earlier: 20, spent: 30, reserved: 1_000 } })
    await insertPaid({ wei: { reserved: 10 } })
    await insertPaid({ hoursAgo: 25, wei: { reserved: 1_000 } })
    await insertPaid({ chainId: SOURCE, wei: { reserved: 1_000 } })
    await require({ cost: 40n })
    await expect(require({ cost: 41n })).rejects.toMatchObject(SPENT)
    await require({}, { perSafe: 3 })
    await expect(require({}, { perSafe: 2 })).rejects.toMatchObject(SPENT)
  })

  test('is by default larger where a coin is worth less: three transactions don’t use up Polygon’s', async () => {
    const POLYGON = 137
    // A deployment, at twice a base fee of 30 gwei and a tip of as much.
    const cost = 350_000n * 90n * 10n ** 9n
    const wei = { reserved: Number(3n * cost) }
    await insertPaid({ chainId: POLYGON, wei })
    await insertPaid({ wei })
    await require({ chainId: POLYGON, cost }, { weiPerDay: null })
    await expect(require({ cost }, { weiPerDay: null })).rejects.toMatchObject(SPENT)
    await expect(require({ chainId: POLYGON, cost })).rejects.toMatchObject(SPENT)
  })

  test('allows a client its number of transactions, and as many again the next day', async () => {
    const count = () => countForClient(database.db, 'a client', { perClient: 2 })
    const rows = async () =>
      (
        await client.query(
          `select count, client = sha256(convert_to(day || ' a client', 'UTF8')) as "isOfDay"
           from app.sponsored_client order by count desc`,
        )
      ).rows
    await count()
    await count()
    await expect(count()).rejects.toMatchObject(SPENT)
    await countForClient(database.db, 'another', { perClient: 1 })
    // Comparing two days' rows doesn't show that it is the same client.
    expect(await rows()).toEqual([
      { count: 3, isOfDay: true },
      { count: 1, isOfDay: false },
    ])
    await client.query('update app.sponsored_client set day = day - 1')
    await count()
    expect(await rows()).toEqual([{ count: 1, isOfDay: true }])
  })

  test('is of the database’s day: an API whose clock is a day ahead counts with the others', async () => {
    const count = () => countForClient(database.db, 'a client', { perClient: 1 })
    await count()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
    try {
      await expect(count()).rejects.toMatchObject(SPENT)
    } finally {
      vi.useRealTimers()
    }
  })
})

test('costs are noted for the latest transactions, however they ended, with the parent chain’s fee', async () => {
  const lost: Hex = `0x${'00'.repeat(32)}`
  for (let old = 0; old < 20; old++) await insertPaid({ txHash: lost })
  const ended = [
    await insertPaid({ state: 'failed' }),
    await insertPaid({ state: 'failed', txHash: '0x01' }),
    await insertPaid({ state: 'superseded', txHash: '0x01' }),
    await insertPaid({ state: 'mined', txHash: '0x01' }),
  ]
  const pending = await insertPaid({ state: 'sent' })
  const elsewhere = await insertPaid({ chainId: SOURCE, txHash: '0x01' })
  const getTransactionReceipt = async ({ hash }: { hash: Hex }) => {
    if (hash === lost) throw new TransactionReceiptNotFoundError({ hash })
    return { gasUsed: 100n, effectiveGasPrice: 2n, l1Fee: '0x5' }
  }
  await noteSpending(sponsorshipWith({ getTransactionReceipt }))
  const { rows } = await client.query(
    `select spent_wei::text as wei from app.sponsored_transaction
     where transaction_id = any($1) order by transaction_id`,
    [[...ended, pending, elsewhere]],
  )
  expect(rows.map(({ wei }) => wei)).toEqual(['0', '205', '205', '205', null, null])
})

test('a cost above what the signed bytes allow isn’t believed, which would spend the day’s budget', async () => {
  const [dear, dearer] = ['0x0a', '0x0b'] as const
  for (const hash of [dear, dearer]) {
    const id = await insertPaid({ state: 'confirmed', txHash: hash })
    await client.query(
      `with signed as (insert into app.transaction_version
         (hash, transaction_id, nonce, raw, gas_limit, max_fee, max_priority_fee)
         values ($1, $2, 1, '0x', 100, 3, 1))
       update app.transaction set l1_fee = 5 where id = $2`,
      [hash, id],
    )
  }
  // At most 100 gas at 3 wei, and ten times what the data was to cost.
  const getTransactionReceipt = async ({ hash }: { hash: Hex }) => {
    return { gasUsed: 100n, effectiveGasPrice: 3n, l1Fee: hash === dear ? 50n : 51n }
  }
  await noteSpending(sponsorshipWith({ getTransactionReceipt }))
  const { rows } = await client.query(
    'select spent_wei::text as wei from app.sponsored_transaction order by transaction_id desc limit 2',
  )
  expect(rows.map(({ wei }) => wei)).toEqual([null, '350'])
})

describe('a sponsored transaction', () => {
  const read = async () => {
    const { rows } = await client.query(
      `select s.reserved_wei::text as reserved, s.earlier_wei::text as earlier,
         s.spent_wei::text as spent, s.requested_at > now() - interval '1 hour' as "isOfDay"
       from app.sponsored_transaction s`,
    )
    return rows[0]
  }
  const fail = (wei: number) =>
    client.query(
      `with failed as (update app.transaction set state = 'failed', succeeded = false, tx_hash = '0x01')
       update app.sponsored_transaction
       set spent_wei = ${wei}, requested_at = now() - interval '2 days'`,
    )

  test('reserves its gas at twice the base fee, and adds each failed attempt’s cost', async () => {
    await sponsor()
    // 100 gas at 2 × 7 + 3, and 11 for its data.
    const reserved = '1711'
    expect(await read()).toEqual({ reserved, earlier: '0', spent: null, isOfDay: true })
    await fail(5)
    await sponsor()
    expect(await read()).toEqual({ reserved, earlier: '5', spent: null, isOfDay: true })
    await fail(7)
    await sponsor()
    expect(await read()).toEqual({ reserved, earlier: '12', spent: null, isOfDay: true })
  })

  test('is refused for an intent that ended before it had a fee', async () => {
    const ended = { phase: 'cancelled', amountA: 7n * LEAST, feeBps: null }
    await indexIntent(client, INTENT, CHAIN, ended)
    await expect(sponsor()).rejects.toMatchObject({ code: 'SAFE_NOT_PAID' })
  })

  test('is refused beyond its Safe’s own share, unless somebody requested it', async () => {
    const gas = DEFAULT_SPONSOR_LIMITS.gasPerRecipient + 1n
    const refused = { code: 'FEE_ALLOWANCE_SPENT' }
    await expect(sponsor('0x01', SAFE, { gas })).rejects.toMatchObject(refused)
    await sponsor('0x01', SAFE, { gas, client: 'a client' })
  })

  test.each([
    ['chosen', true],
    ['signed', true],
    ['sent', true],
    ['mined', false],
  ])('is refused while another of its Safe is %s: %s', async (state, isBusy) => {
    await issue(SIBLING)
    await insertPaid({ state })
    if (isBusy) await expect(sponsor()).rejects.toMatchObject({ code: 'SAFE_BUSY' })
    else await sponsor()
    await sponsor('0x02', SIBLING)
  })

  test('is judged only when no other request is being judged', async () => {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [
      ADVISORY_LOCK_CLASSES.sponsoring,
      String(CHAIN),
    ])
    const asked = sponsor().catch((error) => error)
    let isOver = false
    asked.finally(() => {
      isOver = true
    })
    const isWaiting = async () => {
      const locks = `select from pg_locks where locktype = 'advisory' and not granted`
      return (await client.query(locks)).rowCount === 1
    }
    await until(async () => isOver || (await isWaiting()), 'it waits')
    await insertPaid({ state: 'chosen' })
    await client.query('commit')
    expect(await asked).toMatchObject({ code: 'SAFE_BUSY' })
  })
})

test('an intent’s allowance comes from its fee, and each attempt that was in a block counts', async () => {
  await issue(SIBLING)
  await issue(STRANGERS, true)
  await insertPaid({ gas: 100, round: 1 })
  // It was never in a block.
  await insertPaid({ gas: 1_000, wei: { spent: 0 }, state: 'failed' })
  await insertPaid({ gas: 10, state: 'sent' })
  await insertPaid({ safe: SIBLING, gas: 50, round: 1, wei: { earlier: 3, spent: 0 } })
  await insertPaid({ safe: STRANGERS, gas: 7, wei: { spent: 1 } })
  await insertPaid({ safe: SAFE, chainId: SOURCE, gas: 10_000 })
  const read = (safeAddress: Hex) =>
    readGasAllowance(database.db, { chainId: CHAIN, safeAddress }, { gasPerMinimum: 1_000n })
  // Seven times the minimum, at 250 of the shielded fee's 700 basis points.
  const shared = { allowed: 2_500n, usedByStrangers: 7n }
  expect(await read(SAFE)).toEqual({
    phase: 'completed',
    allowance: { ...shared, own: 210n, isStrangers: false, others: [100n] },
  })
  const ofStrangers = await read(STRANGERS)
  expect(ofStrangers?.allowance).toMatchObject({ ...shared, own: 7n, isStrangers: true })
  expect(ofStrangers?.allowance.others.toSorted()).toEqual([100n, 210n])
  expect(await read(addressOf('nobody’s'))).toBeNull()
  // Another chain's minimum for the token doesn't matter.
  const rename = (from: string, to: string) =>
    client.query(
      `update cairn_84532_rows.bridge_token set token = '0x' || repeat($2, 40)
       where token = '0x' || repeat($1, 40)`,
      [from, to],
    )
  await rename('a', 'b')
  expect(await read(SAFE)).toBeNull()
  await rename('b', 'a')
})

describePaidSafes({
  client: () => client,
  sponsorshipWith,
  intentId: INTENT,
  listed: LISTED,
})
