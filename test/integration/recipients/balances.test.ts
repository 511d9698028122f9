import type pg from 'pg'
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  parseAbi,
  toHex,
} from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApi } from '../../../api/http/server.ts'
import { contractArtifacts } from '../../../contracts/artifacts.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { devnetAccounts } from '../../../services/devnet/accounts.ts'
import { devnetContracts } from '../../../services/devnet/deploy/devnetContracts.ts'
import { DEVNET_WINDOWS } from '../../../services/devnet/windows.ts'
import { createRangePace } from '../../../services/indexer/prefill/rangePace.ts'
import {
  contentsKey,
  loadBalances,
  NOTHING_YET,
  type SafeContents,
} from '../../../services/recipients/balances/loadBalances.ts'
import { readTo } from '../../../services/recipients/balances/readTo.ts'
import { wakeSafes } from '../../../services/recipients/balances/wakeSafes.ts'
import { beatTransfers } from '../../../services/recipients/transfers/beatTransfers.ts'
import { countSafes } from '../../../services/recipients/transfers/countSafes.ts'
import { followOnce, type Round } from '../../../services/recipients/transfers/followOnce.ts'
import { readTransfersHealth } from '../../../services/recipients/transfers/readTransfersHealth.ts'
import { sendToRest } from '../../../services/recipients/transfers/sendToRest.ts'
import { startTransferFollower } from '../../../services/recipients/transfers/startTransferFollower.ts'
import {
  DEFAULT_TRANSFER_SETTINGS,
  type TransferContext,
  type TransferEvent,
  type TransferSettings,
} from '../../../services/recipients/transfers/transferContext.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database.ts'
import { migrate } from '../../../services/store/migrate.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type BridgeChain, openBridgeChain } from '../indexer/bridgePair.ts'
import { type Fault, type FaultyRpc, type RpcCall, startFaultyRpc } from '../prefill/faultyRpc.ts'
import { falseTokenCode } from './falseToken.ts'

const CHAIN = 2651420
/** A false token that is listed all the same. */
const ODD = 99
const SETTINGS = DEFAULT_TRANSFER_SETTINGS

let chain: BridgeChain
let rpc: FaultyRpc
let postgres: PostgresUnderTest
let database: OpenDatabase
let client: pg.Client
let payer: AccountSender
let tokens: Record<'USDC' | 'ZEN', Hex>
let entries = 0
const events: TransferEvent[] = []

beforeAll(async () => {
  const contracts = devnetContracts(await contractArtifacts(), devnetAccounts(), DEVNET_WINDOWS)
  ;[chain, postgres] = await Promise.all([
    openBridgeChain(contracts, 'horizen_testnet', CHAIN, 84532),
    startPostgresUnderTest(),
  ])
  await migrate(postgres.databaseUrl)
  rpc = await startFaultyRpc(chain.node.rpc)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
  client = await postgres.connect()
  payer = chain.senders[0] as AccountSender
  const { USDC, ZEN } = contracts.tokens
  tokens = { USDC: lower(USDC), ZEN: lower(ZEN) }
})
afterAll(async () => {
  await database?.close()
  await rpc?.close()
  await Promise.all([chain?.node.stop(), postgres?.stop()])
})
beforeEach(async () => {
  rpc.inject(undefined)
  events.length = 0
  await client.query(`truncate app.stealth_entry, app.safe_balance, app.followed_safe,
    app.transfer_checkpoint, app.transfer_position cascade`)
})

describe('what is in a Safe', () => {
  test('comes, grows, and is swept; others’ transfers are nothing to us', async () => {
    const [safe, other] = [await newSafe(), await newSafe()]
    await mint('ZEN', payer.address, 1_000n)
    await follow()
    expect(await contents(safe)).toEqual(NOTHING_YET)

    await mint('ZEN', safe, 7n)
    await follow()
    expect(await contents(safe)).toMatchObject({ balances: [held('ZEN', 7n)], swept: false })
    await mint('ZEN', safe, 3n)
    await mint('USDC', safe, 5n)
    await follow()
    const both = { balances: [held('ZEN', 10n), held('USDC', 5n)], swept: false }
    expect(await contents(safe)).toMatchObject(both)

    await sendFrom(safe, 'ZEN', other, 10n)
    const { timestamp } = await chain.client.getBlock()
    await follow()
    expect(await contents(safe)).toMatchObject({ swept: false })
    await sendFrom(safe, 'USDC', payer.address, 5n)
    await follow()
    const nothing = { balances: [held('ZEN', 0n), held('USDC', 0n)], swept: true }
    expect(await contents(safe)).toMatchObject(nothing)
    expect(await contents(other)).toMatchObject({ balances: [held('ZEN', 10n)], swept: false })
    // Of the one that was asked first: nothing has been seen of it since.
    expect((await contents(safe)).balancesAt).toBe(Number(timestamp))
  })

  test('is nothing yet, and not swept, after transfers of nothing', async () => {
    const safe = await newSafe()
    await payer.execute({
      to: tokens.ZEN,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [safe, 0n] }),
    })
    await follow()
    expect(await contents(safe)).toEqual(NOTHING_YET)
  })

  test('is not swept while a listed token that came has not been asked', async () => {
    const safe = await newSafe()
    await mint('ZEN', safe, 7n)
    await follow()
    await sendFrom(safe, 'ZEN', payer.address, 7n)
    await follow()
    expect(await contents(safe)).toMatchObject({ swept: true })
    await client.query(
      `insert into app.safe_balance select (jsonb_populate_record(b, jsonb_build_object(
         'token', $1::text, 'balance', null, 'asked_time', null))).* from app.safe_balance b`,
      [tokens.USDC],
    )
    expect(await contents(safe)).toMatchObject({ balances: [held('ZEN', 0n)], swept: false })
  })

  test('a round without news asks nothing but the head', async () => {
    const safe = await newSafe()
    await mint('ZEN', safe, 7n)
    await follow()
    const before = rpc.calls.length
    await follow()
    const asked = rpc.calls.slice(before).map(({ method }) => method)
    expect(asked.filter((method) => method !== 'eth_chainId')).toEqual([
      'eth_getBlockByNumber',
      'eth_getBlockByNumber',
    ])
  })

  test('is asked once a change, of the token and never summed from events', async () => {
    const safe = await newSafe()
    for (let count = 0; count < 5; count++) await mint('ZEN', safe, 1n)
    const before = rpc.count('eth_call')
    await follow()
    expect(rpc.count('eth_call') - before).toBe(1)
    expect((await contents(safe)).balances).toEqual([held('ZEN', 5n)])
  })

  test('a change without a Transfer is noticed after a while', async () => {
    const safe = await newSafe()
    const token = await falseToken(ODD, 9n)
    await announce(token, safe)
    await follow()
    await falseToken(ODD, 5n)
    await chain.client.increaseTime({ seconds: 100 })
    await chain.client.mine({ blocks: 1 })
    await follow({ refreshAfter: 1_000 })
    expect((await contents(safe)).balances).toEqual([{ token, balance: 9n, isListed: true }])
    await follow({ refreshAfter: 50 })
    expect((await contents(safe)).balances).toEqual([{ token, balance: 5n, isListed: true }])
  })
})

describe('tokens that nobody lists', () => {
  test('are shown while they say that something is there, and never make a Safe swept', async () => {
    const safe = await newSafe()
    const [full, empty] = [await falseToken(1, 5n), await falseToken(2, 0n)]
    await announce(full, safe)
    await announce(empty, safe)
    await follow()
    const shown = { token: full, balance: 5n, isListed: false }
    expect(await contents(safe)).toMatchObject({ balances: [shown], swept: false })

    await mint('ZEN', safe, 1n)
    await sendFrom(safe, 'ZEN', payer.address, 1n)
    await follow()
    expect(await contents(safe)).toMatchObject({ balances: [held('ZEN', 0n), shown], swept: true })
  })

  test('a flood of them is bounded and keeps nothing of ours waiting', async () => {
    const safe = await newSafe()
    for (let number = 10; number < 35; number++) await announce(await falseToken(number, 1n), safe)
    await mint('ZEN', safe, 8n)
    await follow()
    const { balances } = await contents(safe)
    expect(balances[0]).toEqual(held('ZEN', 8n))
    expect(balances).toHaveLength(21)
  })

  test('that answer nonsense are forgotten', async () => {
    const safe = await newSafe()
    const token = await falseToken(3, 1n)
    await announce(token, safe)
    rpc.inject(({ method }) => (method === 'eth_call' ? { result: '0x01' } : undefined))
    await follow()
    expect(await contents(safe)).toEqual(NOTHING_YET)
    expect((await client.query('select from app.safe_balance')).rowCount).toBe(0)
  })

  test('a listed token that doesn’t answer is asked again', async () => {
    const safe = await newSafe()
    await mint('ZEN', safe, 2n)
    rpc.inject(({ method }) =>
      method === 'eth_call' ? { error: { code: 3, message: 'execution reverted' } } : undefined,
    )
    await follow()
    expect(await contents(safe)).toEqual(NOTHING_YET)
    rpc.inject(undefined)
    await follow()
    expect((await contents(safe)).balances).toEqual([held('ZEN', 2n)])
  })
})

describe('a reorg', () => {
  test('takes back what came in blocks that left the chain, and what left in them', async () => {
    const [paid, swept] = [await newSafe(), await newSafe()]
    await mint('ZEN', swept, 4n)
    await follow()
    const snapshot = await chain.client.snapshot()
    await mint('ZEN', paid, 9n)
    await sendFrom(swept, 'ZEN', payer.address, 4n)
    await chain.client.mine({ blocks: 5 })
    await follow()
    expect(await contents(paid)).toMatchObject({ balances: [held('ZEN', 9n)] })
    expect(await contents(swept)).toMatchObject({ swept: true })

    await chain.client.revert({ id: snapshot })
    await mint('USDC', paid, 1n)
    await chain.client.mine({ blocks: 12 })
    await follow()

    expect(events.map(({ type }) => type)).toEqual(['rewound'])
    expect(await contents(paid)).toMatchObject({ balances: [held('USDC', 1n)], swept: false })
    expect(await contents(swept)).toMatchObject({ balances: [held('ZEN', 4n)], swept: false })
  })

  test('to a shorter chain is noticed before that has grown', async () => {
    const safe = await newSafe()
    await follow()
    const snapshot = await chain.client.snapshot()
    await mint('ZEN', safe, 9n)
    await follow()
    await chain.client.mine({ blocks: 5 })
    await follow()
    await chain.client.revert({ id: snapshot })
    await mint('USDC', safe, 1n)
    await follow()
    expect(events.map(({ type }) => type)).toEqual(['rewound'])
    expect(await contents(safe)).toMatchObject({ balances: [held('USDC', 1n)] })
  })

  test('deeper than anything that is kept begins anew', async () => {
    const safe = await newSafe()
    await mint('ZEN', safe, 4n)
    await follow()
    await client.query(`update app.transfer_checkpoint set block_hash = '0xbad'`)
    await client.query(`update app.safe_balance set balance = 77, token = '0xbad'`)
    await follow()
    expect((await contents(safe)).balances).toEqual([held('ZEN', 4n)])
  })

  test('a node that lags behind what was read is waited for', async () => {
    const safe = await newSafe()
    await mint('ZEN', safe, 4n)
    await follow()
    rpc.inject(({ params }) =>
      params[0] === 'latest'
        ? { change: (block) => ({ ...Object(block), number: '0x3' }) }
        : undefined,
    )
    await follow()
    expect(events).toEqual([])
    expect((await contents(safe)).balances).toEqual([held('ZEN', 4n)])
  })
})

describe('going on', () => {
  test('a Safe that turns up late, with an old date, is read backwards', async () => {
    const early = await newSafe()
    const late = safeAddress()
    await mint('ZEN', late, 6n)
    await mint('ZEN', early, 1n)
    await follow()
    await insertSafe(late, 1_700_000_000)
    await chain.client.mine({ blocks: 1 })
    await follow()
    expect((await contents(late)).balances).toEqual([held('ZEN', 6n)])
  })

  test('many Safes are asked in parts, through a node that takes ten blocks', async () => {
    const safes = [
      await newSafe(),
      await newSafe(),
      await newSafe(),
      await newSafe(),
      await newSafe(),
    ]
    for (const [position, safe] of safes.entries()) await mint('ZEN', safe, BigInt(position + 1))
    await chain.client.mine({ blocks: 40 })
    rpc.inject(tenBlocks)
    await follow({ safesAtOnce: 2 })
    for (const [position, safe] of safes.entries())
      expect((await contents(safe)).balances).toEqual([held('ZEN', BigInt(position + 1))])
  })

  test('ended at any of its statements, it comes to the same', async () => {
    const [one, two] = [await newSafe(), await newSafe()]
    await mint('ZEN', one, 3n)
    await mint('USDC', two, 4n)
    await sendFrom(one, 'ZEN', two, 1n)
    await follow()
    const wanted = await allRows()
    let ended = 0
    for (let after = 0; ; after++) {
      await client.query('truncate app.safe_balance, app.followed_safe, app.transfer_checkpoint')
      await client.query('truncate app.transfer_position')
      const wasEnded = await followUntil(after)
      if (!wasEnded) break
      ended += 1
      await follow()
      expect(await allRows()).toEqual(wanted)
    }
    expect(ended).toBeGreaterThan(8)
  })

  test('of two instances one follows; the other takes over, also over a crash of the database', async () => {
    const safe = await newSafe()
    const start = () =>
      startTransferFollower({
        ...{ databaseUrl: postgres.databaseUrl, pollMs: 50 },
        chain: { ...chain.config, tokens: configuredTokens() },
      })
    const [first, second] = [start(), start()]
    const both = [first, second]
    try {
      await until(() => both.filter((one) => one.report().isLeading).length === 1)
      await mint('ZEN', safe, 1n)
      await until(async () => (await contents(safe)).balances[0]?.balance === 1n)
      const leader = both.find((one) => one.report().isLeading)!
      await leader.stop()
      await mint('ZEN', safe, 1n)
      await until(async () => (await contents(safe)).balances[0]?.balance === 2n)

      await postgres.restart()
      client = await postgres.connect()
      await mint('ZEN', safe, 1n)
      await until(async () => (await contents(safe).catch(() => null))?.balances[0]?.balance === 3n)
    } finally {
      await Promise.all(both.map((one) => one.stop()))
    }
  })
})

describe('reading back', () => {
  test('that is ended in the middle goes on where it was', async () => {
    const late = await lateSafe()
    const stopping = new AbortController()
    let ranges = 0
    rpc.inject((call) => {
      const fault = tenBlocks(call)
      if (call.method === 'eth_getLogs' && !fault && ++ranges === 6) stopping.abort()
      return fault
    })
    await expect(follow({}, client, { stop: stopping.signal })).rejects.toThrow()
    const { rows } = await client.query(
      'select next_block from app.followed_safe where next_block > 0',
    )
    const nextBlock = Number(rows[0].next_block)
    expect(nextBlock).toBeGreaterThan(10)

    const before = rpc.calls.length
    await follow()
    const asked = rpc.calls.slice(before).filter(({ method }) => method === 'eth_getLogs')
    const from = asked.map(({ params }) => Number((params[0] as { fromBlock: Hex }).fromBlock))
    expect(Math.min(...from)).toBe(nextBlock)
    expect((await contents(late)).balances).toEqual([held('ZEN', 6n)])
  })

  test('far goes a part of the way in a round, and the head is followed meanwhile', async () => {
    const known = await newSafe()
    const late = await lateSafe()
    await mint('ZEN', known, 5n)
    const pace = createRangePace({ first: 1, most: 1 })
    expect(await round({}, client, { pace })).toMatchObject({ behind: 1, isUnfinished: true })
    expect((await contents(known)).balances).toEqual([held('ZEN', 5n)])
    expect(await contents(late)).toEqual(NOTHING_YET)
    await follow()
    expect((await contents(late)).balances).toEqual([held('ZEN', 6n)])
  })

  test('takes back what it read of blocks that left the chain', async () => {
    const late = await lateSafe()
    await follow()
    const snapshot = await chain.client.snapshot()
    await chain.client.mine({ blocks: 5 })
    await follow()
    const position = Number(await chain.client.getBlockNumber())
    await client.query('update app.followed_safe set is_quiet = true, next_block = $1', [
      position + 1,
    ])
    await chain.client.revert({ id: snapshot })
    await mint('ZEN', late, 1n)
    await chain.client.mine({ blocks: 9 })
    await follow()
    const { rows } = await client.query('select max(next_block) as next from app.followed_safe')
    expect(Number(rows[0].next)).toBeLessThan(position)
    await follow({ quietEvery: 0 })
    await follow()
    expect((await contents(late)).balances).toEqual([held('ZEN', 7n)])
  })
})

test('how it goes is told, and ends with whoever follows', async () => {
  const safe = await newSafe()
  const follower = startTransferFollower({
    ...{ databaseUrl: postgres.databaseUrl, pollMs: 50 },
    chain: { ...chain.config, rpcUrls: [rpc.url], tokens: configuredTokens() },
  })
  const health = async () => (await readTransfersHealth(database.db, [CHAIN]))[0]!
  expect(await health()).toMatchObject({ status: 'stopped' })
  expect(await countSafes(database.db)).toMatchObject([{ followed: 0, quiet: 0, behind: 1 }])
  const beating = beatTransfers(postgres.databaseUrl, [follower])
  const api = await startApi({
    ...{ databaseUrl: postgres.databaseUrl, chains: [chain.config], expectsReactions: true },
    ...{ host: '127.0.0.1', port: 0 },
  })
  const ask = async (path: string) => (await fetch(`${api.url}${path}`)).text()
  try {
    await until(async () => (await health()).status === 'ok')
    const head = Number(await chain.client.getBlockNumber())
    expect(await health()).toMatchObject({ position: head, head, failures: 0, problem: null })
    rpc.inject(() => ({ drop: true }))
    await until(async () => (await health()).status === 'failing')
    expect(await health()).toMatchObject({ problem: 'RPC_UNREACHABLE', position: head })
    expect((await health()).failures).toBeGreaterThan(0)
    const numbers = await ask('/metrics')
    expect(numbers).toContain('cairn_transfers_up{chain="horizen_testnet"} 0')
    expect(numbers).toContain(`cairn_transfers_block{chain="horizen_testnet"} ${head}`)
    expect(numbers).toContain('cairn_transfers_safes{chain="horizen_testnet",state="followed"} 1')
    expect(numbers).toMatch(/cairn_transfers_failures\{chain="horizen_testnet"\} [1-9]/)
    expect(numbers).not.toContain(safe)
    const told = JSON.parse(await ask('/health'))
    const { problem, position } = await health()
    expect(told.transfers).toMatchObject([
      { chain: 'horizen_testnet', status: 'failing', problem, position },
    ])
    rpc.inject(undefined)
    await until(async () => (await health()).status === 'ok')
  } finally {
    await api.stop()
    await beating.stop()
    await follower.stop()
  }
  expect(await health()).toMatchObject({ status: 'stopped', position: null })
})

describe('a Safe to which nothing happens for long', () => {
  test('is read once in a while, and a late payment is found then', async () => {
    const safe = await newSafe()
    await follow()
    await sendToRest(client, CHAIN, { quietAfter: -60 })
    expect(await isQuiet(safe)).toBe(true)
    await mint('ZEN', safe, 3n)
    const before = rpc.count('eth_getLogs')
    await follow()
    expect(rpc.count('eth_getLogs')).toBe(before)
    expect(await contents(safe)).toEqual(NOTHING_YET)

    await client.query(`update app.followed_safe set read_at = now() - interval '61 minutes'`)
    await follow()
    expect((await contents(safe)).balances).toEqual([held('ZEN', 3n)])
    expect(await isQuiet(safe)).toBe(false)
    await mint('ZEN', safe, 1n)
    await follow()
    expect((await contents(safe)).balances).toEqual([held('ZEN', 4n)])
  })

  test('is read when its time comes though nothing has come, and then rests on', async () => {
    const [one, two] = [await newSafe(), await newSafe()]
    await follow()
    await sendToRest(client, CHAIN, { quietAfter: -60 })
    await chain.client.mine({ blocks: 3 })
    await follow()
    await client.query(
      `update app.followed_safe set read_at = now() - make_interval(
         mins => case safe_address when $1 then 61 else 31 end)`,
      [one],
    )
    const before = rpc.count('eth_getLogs')
    await follow()
    // Both in one, since the other's time would soon have come.
    expect(rpc.count('eth_getLogs') - before).toBe(2)
    await chain.client.mine({ blocks: 3 })
    await follow()
    expect(rpc.count('eth_getLogs') - before).toBe(2)
    expect([await isQuiet(one), await isQuiet(two)]).toEqual([true, true])
  })

  test('rests neither while something is in it nor soon after it was swept', async () => {
    const [full, swept, long] = [await newSafe(), await newSafe(), await newSafe()]
    for (const safe of [full, swept, long]) await mint('ZEN', safe, 2n)
    await follow()
    for (const safe of [swept, long]) await sendFrom(safe, 'ZEN', payer.address, 2n)
    await follow()
    await client.query('update app.stealth_entry set created_at = created_at - 100000')
    await client.query('update app.safe_balance set asked_time = 0 where safe_address = $1', [long])
    await sendToRest(client, CHAIN, { quietAfter: 86_400 })
    const quiet = [await isQuiet(full), await isQuiet(swept), await isQuiet(long)]
    expect(quiet).toEqual([false, false, true])
  })

  test('is read at once when its recipient asks, who gets what is true', async () => {
    const safe = await newSafe()
    await follow()
    await sendToRest(client, CHAIN, { quietAfter: -60 })
    await chain.client.increaseTime({ seconds: 100 })
    await mint('ZEN', safe, 3n)
    const follower = startTransferFollower({
      ...{ databaseUrl: postgres.databaseUrl, pollMs: 600_000 },
      chain: { ...chain.config, tokens: configuredTokens() },
    })
    try {
      await until(() => follower.report().latest !== null)
      expect(await contents(safe)).toEqual(NOTHING_YET)
      const asked = [{ chainId: CHAIN, safeAddress: safe }]
      const { timestamp } = await chain.client.getBlock()
      expect((await readTo(database.db, asked)).get(contentsKey(asked[0]!))).toBeLessThan(
        Number(timestamp),
      )
      await wakeSafes(database.db, asked, 60_000)
      expect((await contents(safe)).balances).toEqual([held('ZEN', 3n)])
      expect((await readTo(database.db, asked)).get(contentsKey(asked[0]!))).toBe(Number(timestamp))
    } finally {
      await follower.stop()
    }
  })

  test('keeps nobody waiting for long while nobody reads, and is read for a while from then on', async () => {
    const safe = await newSafe()
    await follow()
    await sendToRest(client, CHAIN, { quietAfter: -60 })
    const asked = [{ chainId: CHAIN, safeAddress: safe }]
    const begun = performance.now()
    await wakeSafes(database.db, asked, 300)
    const waited = performance.now() - begun
    await wakeSafes(database.db, asked, 60_000)
    expect(waited).toBeLessThan(30_000)
    expect(performance.now() - begun - waited).toBeLessThan(30_000)
    await follow()
    await sendToRest(client, CHAIN, { quietAfter: -60 })
    expect(await isQuiet(safe)).toBe(false)
  })
})

async function isQuiet(safe: Hex): Promise<boolean> {
  const { rows } = await client.query(
    'select is_quiet from app.followed_safe where safe_address = $1',
    [safe],
  )
  return rows[0].is_quiet
}

/** One that turns up with an old date after the chain has been read, and has 6 ZEN. */
async function lateSafe(): Promise<Hex> {
  await newSafe()
  const late = safeAddress()
  await mint('ZEN', late, 6n)
  await chain.client.mine({ blocks: 40 })
  await follow()
  await insertSafe(late, 1_700_000_000)
  await chain.client.mine({ blocks: 1 })
  return late
}

/** A node that gives logs of ten blocks at once. */
function tenBlocks({ method, params }: RpcCall): Fault | undefined {
  if (method !== 'eth_getLogs') return undefined
  const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }]
  if (Number(toBlock) - Number(fromBlock) < 10) return undefined
  return { error: { code: -32602, message: 'at most 10 blocks' } }
}

type Given = Partial<Pick<TransferContext, 'pace' | 'stop'>>

/** Rounds until the head is reached. */
async function follow(
  settings: Partial<TransferSettings> = {},
  db: pg.ClientBase = client,
  { pace = createRangePace({ first: 2_000 }), stop }: Given = {},
): Promise<void> {
  while ((await round(settings, db, { pace, stop })).isUnfinished);
}

async function round(
  settings: Partial<TransferSettings>,
  db: pg.ClientBase,
  { pace = createRangePace({ first: 2_000 }), stop }: Given,
): Promise<Round> {
  return followOnce({
    ...{ chain: { ...chain.config, tokens: configuredTokens() }, db, pace, stop },
    pool: createRpcPool({ chainId: CHAIN, rpcUrls: [rpc.url] }),
    settings: { ...SETTINGS, ...settings },
    tell: (event) => void events.push(event),
  })
}

/** Follows with a connection that is cut after so many statements. @returns whether it was */
async function followUntil(statements: number): Promise<boolean> {
  const mortal = await postgres.connect()
  let left = statements
  const query = async (...given: Parameters<pg.Client['query']>) => {
    if (left-- > 0) return (mortal.query as (...all: unknown[]) => unknown)(...given)
    await mortal.end()
    throw new Error('cut')
  }
  try {
    await follow({}, { query } as unknown as pg.Client)
    return false
  } catch {
    return true
  }
}

/** Everything that is known of the Safes, without when it was asked. */
async function allRows() {
  const { rows } = await client.query(
    `select safe_address, token, is_listed, first_block, last_block, balance, is_stale
     from app.safe_balance order by safe_address, token`,
  )
  return rows
}

function configuredTokens() {
  const entry = (address: Hex) => ({ address, decimals: 18 })
  return {
    USDC: entry(tokens.USDC),
    ZEN: entry(chain.contracts.tokens.ZEN),
    ODD: entry(falseAddress(ODD)),
  }
}

async function contents(safe: Hex): Promise<SafeContents> {
  const key = { chainId: CHAIN, safeAddress: safe }
  return (await loadBalances(database.db, [key])).get(contentsKey(key)) ?? NOTHING_YET
}

function held(symbol: keyof typeof tokens, balance: bigint) {
  return { token: tokens[symbol], balance, isListed: true }
}

async function newSafe(): Promise<Hex> {
  const safe = safeAddress()
  await insertSafe(safe, Math.floor(Date.now() / 1_000))
  return safe
}

/** For the follower any address will do. */
function safeAddress(): Hex {
  entries += 1
  return `0x${keccak256(toHex(`safe ${entries}`)).slice(-40)}`
}

async function insertSafe(safe: Hex, createdAt: number): Promise<void> {
  await client.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, created_at)
     values (sha256($1::bytea), $2, $3, $4, decode(repeat('04', 65), 'hex'), 1, $4, 0, '', $5)`,
    [safe, CHAIN, entries, safe, createdAt],
  )
}

async function mint(symbol: keyof typeof tokens, to: Hex, amount: bigint): Promise<void> {
  const abi = parseAbi(['function mint(address to, uint256 amount)'])
  const data = encodeFunctionData({ abi, functionName: 'mint', args: [to, amount] })
  await payer.execute({ to: tokens[symbol], data })
}

async function sendFrom(
  from: Address,
  symbol: keyof typeof tokens,
  to: Address,
  amount: bigint,
): Promise<void> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  await asSafe(from, (sender) => sender.execute(tokens[symbol], data))
}

/** Lets an address send transactions whose key nobody has. */
async function asSafe(
  address: Address,
  work: (sender: { execute(to: Address, data: Hex): Promise<void> }) => Promise<void>,
): Promise<void> {
  const { client: node } = chain
  await node.impersonateAccount({ address })
  await node.setBalance({ address, value: 10n ** 18n })
  const execute = async (to: Address, data: Hex) => {
    const params = [{ from: address, to, data }]
    const hash = await node.request({ method: 'eth_sendTransaction', params } as never)
    const { status } = await node.waitForTransactionReceipt({ hash, pollingInterval: 50 })
    expect(status).toBe('success')
  }
  await work({ execute })
  await node.stopImpersonatingAccount({ address })
}

async function falseToken(number: number, balance: bigint): Promise<Hex> {
  const address = falseAddress(number)
  await chain.client.setCode({ address, bytecode: falseTokenCode(balance) })
  return address
}

function falseAddress(number: number): Hex {
  return `0x${(0xfa15e0000 + number).toString(16).padStart(40, '0')}`
}

async function announce(token: Hex, safe: Hex): Promise<void> {
  await payer.execute({ to: token, data: `0x${safe.slice(2).padStart(64, '0')}` })
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('did not come')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function lower(address: Address): Hex {
  return address.toLowerCase() as Hex
}
