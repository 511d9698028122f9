import type pg from 'pg'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  findVaultCall,
  requestVaultCall,
} from '../../../services/orders/execution/requestVaultCall.ts'
import { encodeCloseCall } from '../../../services/orders/execution/takeOrderSteps.ts'
import { readRequestedGas } from '../../../services/orders/gas/readRequestedGas.ts'
import {
  readDaySpending,
  readSpending,
  requireBudget,
} from '../../../services/relayer/recipients/sponsored/sponsorBudget.ts'
import type { Sponsorship } from '../../../services/relayer/recipients/sponsored/sponsorContext.ts'
import { requireGasQuota } from '../../../services/relayer/recipients/sponsored/sponsoredGasQuota.ts'
import { sponsorTransaction } from '../../../services/relayer/recipients/sponsored/sponsorTransaction.ts'
import { requestSolverTransaction } from '../../../services/solver/journal/transactionJournal.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { indexIntent, LEAST, openSourceIndex, SOURCE } from '../recipients/sourceIndex.ts'

// Tampered rows of schema `app` neither fail what others ask for, nor keep a call from being requested again.

const CHAIN = 2651420
const ACCOUNT: Hex = `0x${'0a'.repeat(20)}`
const TO: Hex = `0x${'0b'.repeat(20)}`
const SAFE: Hex = `0x${'5a'.repeat(20)}`
const INTENT = (BigInt(SOURCE) << 64n) | 1n
const LAST_ROUND = 2_147_483_647
const LAST_GAS = '9223372036854775807'

let postgres: PostgresUnderTest
let database: OpenDatabase
let client: pg.Client

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  client = await postgres.connect()
  await openSourceIndex(client)
  const phase = { phase: 'completed', amountA: 100n * LEAST, feeBps: 700 }
  await indexIntent(client, INTENT, CHAIN, phase)
  await client.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, created_at)
     values (sha256('a'), $1, $2, $3, decode(repeat('04', 65), 'hex'), 1, $3, 0, '', 0)`,
    [CHAIN, String(INTENT), SAFE],
  )
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})
beforeEach(() => client.query('delete from app.transaction'))

/** Writes a row that reverted in a block, at the first round. */
async function insertReverted(kind: string, effect: string): Promise<void> {
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, state,
       gas_limit, tx_hash, succeeded)
     values ($1, $2, $3, $4, $5, '0x12', $4, 'failed', 100000, '0x01', false)`,
    [kind, CHAIN, effect, ACCOUNT, TO],
  )
}

/** The only row's call. */
async function callNow() {
  const { rows } = await client.query(
    `select state, account, to_address as "to", data, value::text, gas_limit::text as gas
     from app.transaction`,
  )
  return rows[0]
}

/** Ends the only row with what describes another call, which would end it again and again. */
const endFalsely = () =>
  client.query(
    `update app.transaction set state = 'failed', to_address = 'nobody', data = '0xff', value = 5,
       account = $1, gas_limit = 1`,
    [`0x${'0c'.repeat(20)}`],
  )

describe('rows with numbers that can’t be added to', () => {
  test.each([
    ['the last round', `round = ${LAST_ROUND}`],
    ['the most gas', `gas_limit = ${LAST_GAS}, round = 2`],
  ])('%s, of an order’s call, leave the others’ gas readable', async (_, said) => {
    for (const one of ['fundOrder', 'fireTranche']) await insertReverted(one, `0x01:${one}`)
    await client.query(`update app.transaction set ${said}`)
    await insertReverted('fireTranche', '0x02:0')
    const context = { db: database.db, account: ACCOUNT }
    const gas = await readRequestedGas(context, { chainId: CHAIN }, null)
    expect(gas).toHaveLength(3)
    expect(gas.find(({ effect }) => effect === '0x02:0')?.gas.tranches).toBeGreaterThan(100_000)
  })

  test('a funding or the end of a tranche dated in the future doesn’t take every day’s gas', async () => {
    await insertReverted('fundOrder', '0x01')
    await client.query(`update app.transaction set requested_at = 'infinity'`)
    await insertReverted('fireTranche', '0x01:0')
    await client.query(
      `update app.transaction set requested_at = now() - interval '2 days', changed_at = 'infinity'
       where kind = 'fireTranche'`,
    )
    await insertReverted('fundOrder', '0x02')
    const context = { db: database.db, account: ACCOUNT }
    const gas = await readRequestedGas(context, { chainId: CHAIN }, null)
    expect(gas.map(({ effect }) => effect)).toEqual(['0x02'])
  })

  test.each([
    ['the last round', `round = ${LAST_ROUND}`, ''],
    ['the most gas', `gas_limit = ${LAST_GAS}, round = 2`, ''],
    ['no cost', 'round = 0', `earlier_wei = 'NaN'`],
    ['no price', 'round = 0', `reserved_wei = 'NaN'`],
  ])('%s, of a sponsored transaction, leave the chain’s budget readable', async (_, said, cost) => {
    for (const effect of ['one', 'other']) await insertReverted('deploySafe', effect)
    await client.query(
      `insert into app.sponsored_transaction
         (transaction_id, kind, chain_id, safe_address, reserved_wei, earlier_wei)
       select id, kind, chain_id, $1, 7, 1 from app.transaction`,
      [SAFE],
    )
    const which = `(select id from app.transaction where effect = 'other')`
    await client.query(`update app.transaction set ${said} where id = ${which}`)
    if (cost !== '')
      await client.query(
        `update app.sponsored_transaction set ${cost} where transaction_id = ${which}`,
      )
    const asked = { chainId: CHAIN, cost: 0n }
    const budget = { perSafe: 1, weiPerDay: 10n ** 18n }
    await requireBudget(database.db, { ...asked, safeAddress: TO }, budget)
    await expect(
      requireBudget(database.db, { ...asked, safeAddress: SAFE }, budget),
    ).rejects.toMatchObject({ code: 'RELAY_BUDGET_SPENT' })
    for (const read of [readSpending, readDaySpending]) {
      const [{ wei } = { wei: 0n }] = await read(database.db)
      expect(BigInt(wei)).toBeGreaterThanOrEqual(8n)
    }
    // Dated in the future, it would use up every day's budget.
    await client.query(
      `update app.sponsored_transaction set requested_at = 'infinity', reserved_wei = 1e18`,
    )
    for (const safeAddress of [SAFE, TO])
      await requireBudget(database.db, { ...asked, safeAddress }, budget)
    expect(await readDaySpending(database.db)).toEqual([])
    const price = { gasPerMinimum: 10n ** 30n, gasPerRecipient: 1n }
    await requireGasQuota(
      database.db,
      { chainId: CHAIN, safeAddress: SAFE, gas: 1n, isAsked: true },
      price,
    )
  })
})

describe('a row that describes another call', () => {
  const call = { account: ACCOUNT, to: TO, data: '0x12', value: '0' }
  const orderId: Hex = `0x${'01'.repeat(32)}`
  const close = encodeCloseCall(orderId, [])
  const callOf = (order: Hex, n: bigint) =>
    encodeFunctionData({
      abi: orderVaultAbi,
      functionName: 'fireTranche',
      args: [order, n, '0x', []],
    })
  const fire = callOf(orderId, 0n)

  test('of a vault is requested as it is, with the gas that is asked for', async () => {
    const effect = { kind: 'closeOrder', orderId } as const
    const place = { chainId: CHAIN, vault: TO }
    const request = (gasLimit?: bigint) =>
      requestVaultCall({ db: database.db, account: ACCOUNT }, place, {
        effect,
        data: close,
        ...(gasLimit && { gasLimit }),
      })
    await request()
    await endFalsely()
    await request()
    expect(await callNow()).toEqual({ ...call, data: close, state: 'chosen', gas: null })
    await endFalsely()
    await request(77_000n)
    expect(await callNow()).toEqual({ ...call, data: close, state: 'chosen', gas: '77000' })
  })

  test.each([
    ['another account', `account = '0x${'0c'.repeat(20)}'`],
    ['another contract', `to_address = '0x${'0c'.repeat(20)}'`],
    ['the service’s coins', 'value = 1e30'],
    ['another order', `data = '${callOf(`0x${'02'.repeat(32)}`, 0n)}'`],
    ['another tranche', `data = '${callOf(orderId, 1n)}'`],
    ['another function', `data = '${close}'`],
  ])('of a vault is requested again although it still waits, for %s', async (_, said) => {
    const effect = { kind: 'fireTranche', orderId, n: 0 } as const
    const [payer, place] = [
      { db: database.db, account: ACCOUNT },
      { chainId: CHAIN, vault: TO },
    ]
    const request = () => requestVaultCall(payer, place, { effect, data: fire, gasLimit: 77_000n })
    await request()
    expect(await findVaultCall(payer, place, effect)).not.toBeNull()
    await client.query(`update app.transaction set ${said}`)
    expect(await findVaultCall(payer, place, effect)).toBeNull()
    await request()
    expect(await callNow()).toEqual({ ...call, data: fire, state: 'chosen', gas: '77000' })
  })

  test('for a Safe is requested as it is', async () => {
    const nodes = { queryAll: async () => [1n], priorityFees: async () => ({ standard: 1n }) }
    const limits = {
      gasPerMinimum: 10n ** 30n,
      gasPerRecipient: 10n ** 9n,
      perSafe: 9,
      perClient: 9,
      weiPerDay: 10n ** 18n,
    }
    const about = { db: database.db, chainId: CHAIN, account: ACCOUNT, limits, nodes }
    const sponsorship = { ...about, dataFees: { of: async () => 0n } } as unknown as Sponsorship
    const request = () =>
      sponsorTransaction(
        sponsorship,
        { client: null, charge: () => {} },
        {
          kind: 'deploySafe',
          effect: SAFE,
          safeAddress: SAFE,
          to: TO,
          data: '0x12',
          gas: 90_000n,
        },
      )
    await request()
    await endFalsely()
    await request()
    expect(await callNow()).toEqual({ ...call, state: 'chosen', gas: '90000' })
  })

  test('of a solver is requested as it is', async () => {
    const solver = { address: ACCOUNT, macOf: () => 'mac', isMacOf: () => true }
    const key = { kind: 'stake', chainId: CHAIN, effect: TO }
    const request = () =>
      requestSolverTransaction(database.db, solver, key, { to: TO, data: '0x12' })
    await request()
    await endFalsely()
    await request()
    expect(await callNow()).toEqual({ ...call, state: 'chosen', gas: null })
  })
})
