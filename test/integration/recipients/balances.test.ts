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
import { followOnce } from '../../../services/recipients/transfers/followOnce.ts'
import { startTransferFollower } from '../../../services/recipients/transfers/startTransferFollower.ts'
import type {
  TransferEvent,
  TransferSettings,
} from '../../../services/recipients/transfers/transferContext.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database.ts'
import { migrate } from '../../../services/store/migrate.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type BridgeChain, openBridgeChain } from '../indexer/bridgePair.ts'
import { type FaultyRpc, startFaultyRpc } from '../prefill/faultyRpc.ts'
import { falseTokenCode } from './falseToken.ts'

const CHAIN = 2651420
/** A false token that is listed all the same. */
const ODD = 99
const SETTINGS: TransferSettings = { safesAtOnce: 500, refreshAfter: 3_600 }

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
    rpc.inject(({ method, params }) => {
      if (method !== 'eth_getLogs') return undefined
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }]
      if (Number(toBlock) - Number(fromBlock) < 10) return undefined
      return { error: { code: -32602, message: 'at most 10 blocks' } }
    })
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

/** Rounds until the head is reached. */
async function follow(settings: Partial<TransferSettings> = {}, db: pg.ClientBase = client) {
  const pace = createRangePace({ first: 2_000 })
  const pool = createRpcPool({ chainId: CHAIN, rpcUrls: [rpc.url] })
  for (;;) {
    const round = await followOnce({
      ...{ chain: { ...chain.config, tokens: configuredTokens() }, pool, db, pace },
      settings: { ...SETTINGS, ...settings },
      tell: (event) => void events.push(event),
    })
    if (!round.isUnfinished) return
  }
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
