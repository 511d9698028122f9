import { afterAll, beforeAll, expect, test } from 'vitest'
import { liveRegistrations } from '../../../services/relayer/solvers/solverRegistration.ts'
import { BASE, type SeededApi, startSeededApi } from '../../integration/rest/seededApi.ts'

let api: SeededApi
beforeAll(async () => {
  api = await startSeededApi({ intents: 100 })
})
afterAll(() => api?.stop())

type Crowd = { from: number; to: number; bids: number; settlements: number }

/** Registers solvers of these numbers: each with a balance, a stake for so many of the smallest bids, and a record. */
async function register({ from, to, bids, settlements }: Crowd) {
  const client = await api.postgres.connect()
  const schema = `cairn_${BASE}_seeded`
  const crowd = `select '0x' || lpad(to_hex(number), 40, '0') as solver from generate_series(${from}, ${to}) number`
  await client.query(`insert into app.solver_registration (solver, routes, balances)
    select solver, '[]', '[{"balance": "1"}]' from (${crowd}) as crowd`)
  await client.query(`insert into ${schema}.solver_stake (chain_id, solver, token, staked, locked)
    select chain_id, solver, token, ${bids} * greatest(ceil(min_amount / 20), 1), 0 from (${crowd}) as crowd,
      (select * from cairn.bridge_token where chain_id = ${BASE} and listed limit 1) as token`)
  await client.query(`insert into ${schema}.solver_record
    select (jsonb_populate_record(record, jsonb_build_object('solver', crowd.solver, 'settlements', ${settlements}))).*
    from (${crowd}) as crowd, (select record from ${schema}.solver_record as record limit 1) as one`)
}

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}`

test('many accounts with minimal stakes and settlements don’t push a staked solver off the list of routes', async () => {
  const [newcomer, veteran] = [0xfffe, 0xffff]
  await register({ from: newcomer, to: newcomer, bids: 20, settlements: 0 })
  await register({ from: veteran, to: veteran, bids: 1, settlements: 1_000_000 })
  await register({ from: 1, to: 300, bids: 1, settlements: 1 })
  const listed = (await liveRegistrations(api.database.db)).map(({ solver }) => solver)
  expect(new Set(listed.slice(0, 2))).toEqual(new Set([newcomer, veteran].map(addressOf)))
})
