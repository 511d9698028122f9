import type pg from 'pg'
import { type Hex, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createDeployedSafes } from '../../../api/rest/recipient/deployedSafes.ts'
import { safeChains } from '../../../api/rest/recipient/safeCreationFinder.ts'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { findSettledDeployments } from '../../../services/relayer/recipients/deployed/findDeployedSafes.ts'
import { findEntriesOfRecipient } from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

const CHAIN = 84532
const AWAY = 2651420
const CONFIRMATIONS = 3
const CHAIN_CONFIG = { name: 'base_sepolia', chainId: CHAIN, confirmations: CONFIRMATIONS }
const TAG: Hex = keccak256(toHex('a recipient'))
const CLIENT = '192.0.2.1'

let anvil: RunningAnvil
let node: FaultyRpc
let postgres: PostgresUnderTest
let database: OpenDatabase
let client: pg.Client
let entries = 0
beforeAll(async () => {
  ;[anvil, postgres] = await Promise.all([
    startAnvil({ chainId: CHAIN, blockTime: 0 }),
    startPostgresUnderTest(),
  ])
  await migrate(postgres.databaseUrl)
  node = await startFaultyRpc(anvil.rpc)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
  client = await postgres.connect()
})
afterAll(async () => {
  await database?.close()
  await node?.close()
  await Promise.all([anvil?.stop(), postgres?.stop()])
})
beforeEach(async () => {
  node.inject(undefined)
  await client.query('truncate app.stealth_entry')
})

test('a flood of requests queries a chain at intervals, one call at a time', async () => {
  const safes = await newSafes(150)
  const deployed = openDeployed()
  const before = node.calls.length
  const { entries: seen } = await findEntriesOfRecipient(database.db, [TAG])
  const looks = await Promise.all(
    Array.from({ length: 50 }, (_, number) => deployed.check(seen, `client ${number}`)),
  )
  for (const look of looks) {
    expect(look).toHaveLength(150)
    expect(look.at(-1)).toEqual({ isDeployed: false, checkedAt: expect.any(Number) })
  }
  const asked = () => node.calls.slice(before).filter(({ method }) => method === 'eth_getCode')
  expect(asked().map(({ params }) => params[0])).toEqual(safes.slice(-100))
  // The next look is at the older ones, and then there is nothing to ask for a while.
  for (let again = 0; again < 3; again++) await deployed.check(seen, CLIENT)
  expect(asked()).toHaveLength(150)
})

test('more Safes than one request checks take turns, however rare the requests', async () => {
  const safes = await newSafes(250)
  const deployed = openDeployed()
  const { entries: seen } = await findEntriesOfRecipient(database.db, [TAG])
  const before = node.calls.length
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    for (const client of ['one', 'two', 'three']) {
      await deployed.check(seen, client)
      vi.setSystemTime(Date.now() + 60_000)
    }
  } finally {
    vi.useRealTimers()
  }
  const asked = () => {
    const calls = node.calls.slice(before).filter(({ method }) => method === 'eth_getCode')
    return new Set(calls.map(({ params }) => params[0]))
  }
  await expect.poll(asked, { timeout: 60_000 }).toEqual(new Set(safes))
})

test('a client has a limited number of Safes checked at once; the others are reported as last seen', async () => {
  await newSafes(150)
  const deployed = openDeployed()
  const before = node.count('eth_getCode')
  for (let look = 0; look < 3; look++) {
    const strangers = (await findEntriesOfRecipient(database.db, [TAG])).entries.map(
      (entry, position) => ({
        ...entry,
        safeAddress: safeAddress(`of look ${look}, ${position}`),
      }),
    )
    const looks = await deployed.check(strangers, CLIENT)
    if (look === 2) expect(looks.every(({ checkedAt }) => checkedAt === null)).toBe(true)
  }
  expect(node.count('eth_getCode') - before).toBe(200)
})

test('a check from before the clock was set back isn’t relied on until it has caught up', async () => {
  const [safe] = await newSafes(1)
  const deployed = openDeployed()
  const { entries: seen } = await findEntriesOfRecipient(database.db, [TAG])
  const check = async () => (await deployed.check(seen, CLIENT)).map(({ isDeployed }) => isDeployed)
  expect(await check()).toEqual([false])
  await callRpc(anvil.rpc, 'anvil_setCode', [safe, '0x60'])
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(await check()).toEqual([true])
})

test('a Safe deployed deep enough is never checked again', async () => {
  const [safe] = await newSafes(1)
  await callRpc(anvil.rpc, 'anvil_setCode', [safe, '0x60'])
  expect(await look()).toEqual([{ isDeployed: true, checkedAt: expect.any(Number) }])
  expect(await forGood()).toEqual([false])
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(CONFIRMATIONS + 1)])
  await client.query(`update app.stealth_entry set deployed_seen_at = now() - interval '1 hour'`)
  expect(await look()).toMatchObject([{ isDeployed: true }])
  await expect.poll(forGood, { timeout: 60_000 }).toEqual([true])
  await client.query(`update app.stealth_entry set deployed_seen_at = now() - interval '1 hour'`)
  // Its own node: the first looks may still be asking theirs.
  const unused = await startFaultyRpc(anvil.rpc)
  try {
    expect(await look(openDeployed([unused.url]))).toMatchObject([{ isDeployed: true }])
    expect(unused.calls).toEqual([])
  } finally {
    await unused.close()
  }
})

test('a final deployment needs as many nodes’ agreement as a settlement', async () => {
  const [safe] = await newSafes(1)
  await callRpc(anvil.rpc, 'anvil_setCode', [safe, '0x60'])
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(CONFIRMATIONS + 1)])
  const other = await startFaultyRpc(anvil.rpc)
  other.inject(({ method, params }) =>
    method === 'eth_getCode' && params[1] !== 'latest' ? { result: '0x' } : undefined,
  )
  try {
    const urls = [node.url, other.url]
    expect(await look(openDeployed(urls))).toMatchObject([{ isDeployed: true }])
    // Its own look that long ago; the look at the head was another's.
    await expect.poll(() => other.count('eth_getCode'), { timeout: 60_000 }).toBe(1)
    expect(await forGood()).toEqual([false])
    other.inject(undefined)
    await client.query(`update app.stealth_entry set deployed_seen_at = now() - interval '1 hour'`)
    await look(openDeployed(urls))
    await expect.poll(forGood, { timeout: 60_000 }).toEqual([true])
  } finally {
    await other.close()
  }
})

test('two URLs of one operator count once towards a final deployment', async () => {
  const [safe] = await newSafes(1)
  await callRpc(anvil.rpc, 'anvil_setCode', [safe, '0x60'])
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(CONFIRMATIONS + 1)])
  const [other, third] = [await startFaultyRpc(anvil.rpc), await startFaultyRpc(anvil.rpc)]
  const urls = [node.url, other.url, third.url]
  const operators = { [node.url]: 'one', [other.url]: 'one', [third.url]: 'two' }
  third.inject(({ method, params }) =>
    method === 'eth_getCode' && params[1] !== 'latest' ? { result: '0x' } : undefined,
  )
  try {
    const [chain] = safeChains([{ ...CHAIN_CONFIG, rpcUrls: urls, operators }]).values()
    expect(await findSettledDeployments(chain!, [safe!], 60_000)).toEqual([])
    third.inject(undefined)
    expect(await findSettledDeployments(chain!, [safe!], 60_000)).toEqual([safe])
    const alone = { ...CHAIN_CONFIG, rpcUrls: urls.slice(0, 2), operators }
    const [sole] = safeChains([alone]).values()
    expect(await findSettledDeployments(sole!, [safe!], 60_000)).toEqual([safe])
  } finally {
    await Promise.all([other.close(), third.close()])
  }
})

test('a Safe seen by another instance is reported at once', async () => {
  await newSafes(1)
  const deployed = openDeployed()
  expect(await look(deployed)).toMatchObject([{ isDeployed: false }])
  await client.query('update app.stealth_entry set deployed_seen_at = clock_timestamp()')
  expect(await look(deployed)).toMatchObject([{ isDeployed: true }])
})

test('a Safe that sent funds is checked again, even if it was just absent', async () => {
  const [safe] = await newSafes(1)
  const deployed = openDeployed()
  expect(await look(deployed)).toMatchObject([{ isDeployed: false }])
  await callRpc(anvil.rpc, 'anvil_setCode', [safe, '0x60'])
  expect(await look(deployed)).toMatchObject([{ isDeployed: false }])
  const { entries: seen } = await findEntriesOfRecipient(database.db, [TAG])
  await expect
    .poll(() => deployed.check(seen, CLIENT, () => true), { timeout: 60_000 })
    .toMatchObject([{ isDeployed: true }])
})

test('chains that are down or swallow requests delay no answer and change nothing', async () => {
  await newSafes(2)
  await client.query('update app.stealth_entry set chain_id = $1 where id % 2 = 0', [AWAY])
  await client.query(
    `update app.stealth_entry set deployed_seen_at = now() - interval '1 day' where chain_id = $1`,
    [AWAY],
  )
  node.inject(() => ({ hold: new Promise(() => {}) }))
  const begun = performance.now()
  const looks = await look(openDeployed([node.url], 300))
  expect(performance.now() - begun).toBeLessThan(30_000)
  expect(looks).toContainEqual({ isDeployed: false, checkedAt: null })
  expect(looks).toContainEqual({ isDeployed: true, checkedAt: expect.any(Number) })
})

/** One whose answers wait for as long as it takes, unless a test is about that. */
function openDeployed(rpcUrls = [node.url], timeoutMs = 60_000) {
  const away = { name: 'horizen_testnet', chainId: AWAY, rpcUrls: ['http://127.0.0.1:1'] }
  const chains = safeChains([
    { ...CHAIN_CONFIG, rpcUrls },
    { ...CHAIN_CONFIG, ...away },
  ])
  return createDeployedSafes(database.db, chains, timeoutMs)
}

async function look(deployed = openDeployed()) {
  const { entries } = await findEntriesOfRecipient(database.db, [TAG])
  return deployed.check(entries, CLIENT)
}

async function forGood(): Promise<boolean[]> {
  const { rows } = await client.query('select deployed_for_good as it from app.stealth_entry')
  return rows.map(({ it }) => it)
}

async function newSafes(count: number): Promise<Hex[]> {
  const safes = Array.from({ length: count }, () => safeAddress(String(++entries)))
  await client.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, created_at)
     select decode($1, 'hex'), $2, $3 + n, safe, decode(repeat('04', 65), 'hex'), 1, safe, 0, '', 0
     from unnest($4::text[]) with ordinality as s (safe, n)`,
    [TAG.slice(2), CHAIN, entries, safes],
  )
  return safes
}

function safeAddress(name: string): Hex {
  return `0x${keccak256(toHex(`safe ${name}`)).slice(-40)}`
}
