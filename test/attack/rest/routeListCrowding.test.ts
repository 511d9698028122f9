import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listLiveSolvers } from '../../../services/relayer/solvers/listLiveSolvers.ts'
import { BASE, type SeededApi, startSeededApi } from '../../integration/rest/seededApi.ts'

let api: SeededApi
beforeAll(async () => {
  api = await startSeededApi({ intents: 100 })
})
afterAll(() => api?.stop())
beforeEach(async () => {
  const client = await api.postgres.connect()
  await client.query('truncate app.solver_registration')
  // The list is cached for a second.
  await setTimeout(1_100)
})

type Crowd = {
  from: number
  to: number
  bids: number
  settlements: number
  /** Position of the staked token among those of the bridge. */
  token?: number
}

/**
 * Registers the solvers with these numbers, each with a balance, a stake for this many of the smallest bids,
 * and a settlement record.
 */
async function register({ from, to, bids, settlements, token = 0 }: Crowd) {
  const client = await api.postgres.connect()
  const schema = `cairn_${BASE}_seeded`
  const crowd = `select '0x' || lpad(to_hex(number), 40, '0') as solver from generate_series(${from}, ${to}) number`
  await client.query(`insert into app.solver_registration (solver, routes, balances)
    select solver, '[]', '[{"chainId": ${BASE}, "token": "${addressOf(0)}", "balance": "1"}]'
    from (${crowd}) as crowd`)
  const { rowCount } =
    await client.query(`insert into ${schema}.solver_stake (chain_id, solver, token, staked, locked)
    select chain_id, solver, token, ${bids} * greatest(ceil(min_amount / 20), 1), 0 from (${crowd}) as crowd,
      (select * from cairn.bridge_token where chain_id = ${BASE} and listed
        order by token offset ${token} limit 1) as token`)
  expect(rowCount).toBe(to - from + 1)
  await client.query(`insert into ${schema}.solver_record
    select (jsonb_populate_record(record, jsonb_build_object('solver', crowd.solver, 'settlements', ${settlements}))).*
    from (${crowd}) as crowd, (select record from ${schema}.solver_record as record limit 1) as one`)
}

test('thousands of routes of tokens that no bridge lists cost readers of the list nothing', async () => {
  const client = await api.postgres.connect()
  const { rows } = await client.query(
    'select chain_id, min(token) as token from cairn.bridge_token where listed group by 1 order by 1',
  )
  const [source, destination] = rows
  const open = {
    sourceChainId: Number(source.chain_id),
    destChainId: Number(destination.chain_id),
    tokenA: source.token,
    tokenB: destination.token,
  }
  const invented = Array.from({ length: 199 }, (_, at) => ({
    ...open,
    ...(at % 2 === 0 ? { tokenA: addressOf(at) } : { tokenB: addressOf(at) }),
  }))
  await client.query(
    `insert into app.solver_registration (solver, routes, balances)
     select '0x' || lpad(to_hex(number), 40, '0'), $1, '[]' from generate_series(1, 200) number`,
    [JSON.stringify([...invented, open])],
  )
  const listed = await listLiveSolvers(api.database.db)
  expect(listed).toHaveLength(200)
  for (const { routes } of listed) expect(routes).toEqual([open])
})

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}`

test('many accounts with minimal stakes and settlements don’t push a staked solver off the list of routes', async () => {
  const [newcomer, veteran] = [0xfffe, 0xffff]
  await register({ from: newcomer, to: newcomer, bids: 20, settlements: 0 })
  await register({ from: veteran, to: veteran, bids: 1, settlements: 1_000_000 })
  await register({ from: 1, to: 300, bids: 1, settlements: 1 })
  const listed = (await listLiveSolvers(api.database.db)).map(({ solver }) => solver)
  expect(new Set(listed.slice(0, 2))).toEqual(new Set([newcomer, veteran].map(addressOf)))
})

test('large stakes of a token whose smallest amount is tiny don’t push a solver with a stake of another token off the list', async () => {
  const newcomer = 0xffffe
  await register({ from: newcomer, to: newcomer, bids: 30, settlements: 0, token: 0 })
  await register({ from: 1_001, to: 1_300, bids: 1_000_000, settlements: 1, token: 1 })
  const listed = (await listLiveSolvers(api.database.db)).map(({ solver }) => solver)
  expect(listed.slice(0, 4)).toContain(addressOf(newcomer))
})
