import type pg from 'pg'
import { type Address, encodeFunctionData, erc20Abi, type Hex, keccak256, toHex } from 'viem'
import { expect } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { DEVNET_WINDOWS } from '../../../devnet/bridgeWindows.ts'
import { buildDevnetContracts } from '../../../devnet/deploy/devnetContracts.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { createRangeSizer } from '../../../services/chain/history/rangeSizer.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import {
  contentsKey,
  loadBalances,
  NOTHING_YET,
  type SafeContents,
} from '../../../services/relayer/recipients/balances/loadBalances.ts'
import {
  followTransfersOnce,
  type Round,
} from '../../../services/relayer/recipients/safeTransfers/followTransfersOnce.ts'
import { createUnreadSearch } from '../../../services/relayer/recipients/safeTransfers/listSafes.ts'
import {
  DEFAULT_TRANSFER_SETTINGS,
  type TransferEvent,
  type TransferFollowerContext,
  type TransferSettings,
} from '../../../services/relayer/recipients/safeTransfers/transferFollowerContext.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { type Fault, type FaultyRpc, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'
import { type BridgeChain, openBridgeChain } from '../indexer/bridgePair.ts'
import { falseTokenCode } from './falseToken.ts'

export const CHAIN = 2651420
/** A false token that is listed all the same. */
export const ODD = 99
const SETTINGS = DEFAULT_TRANSFER_SETTINGS

export let chain: BridgeChain
export let rpc: FaultyRpc
export let postgres: PostgresUnderTest
export let database: OpenDatabase
export let client: pg.Client
export let payer: AccountSender
export let tokens: Record<'USDC' | 'ZEN', Hex>
let entries = 0
export const events: TransferEvent[] = []

/** Opens the chain, its node with faults, and the database. */
export async function openTestbed(): Promise<void> {
  const contracts = buildDevnetContracts(
    await readCompiledContracts(),
    deriveDevnetAccounts(),
    DEVNET_WINDOWS,
  )
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
}

/** Closes what `openTestbed` opened. */
export async function closeTestbed(): Promise<void> {
  await database?.close()
  await rpc?.close()
  await Promise.all([chain?.node.stop(), postgres?.stop()])
}

/** Forgets every Safe, and all faults of the node. */
export async function emptyTestbed(): Promise<void> {
  rpc.inject(undefined)
  events.length = 0
  await client.query(`truncate app.stealth_entry, app.safe_balance, app.followed_safe,
    app.transfer_checkpoint, app.transfer_position cascade`)
}

/** Another connection, after the database was started again. */
export async function reconnect(): Promise<void> {
  client = await postgres.connect()
}

/** Whether a Safe is read once in a while only. */
export async function isReadRarely(safe: Hex): Promise<boolean> {
  const { rows } = await client.query(
    'select is_quiet from app.followed_safe where safe_address = $1',
    [safe],
  )
  return rows[0].is_quiet
}

/** One that turns up with an old date after the chain has been read, and has 6 ZEN. */
export async function insertLateSafe(): Promise<Hex> {
  await insertNewSafe()
  const late = safeAddress()
  await mint('ZEN', late, 6n)
  await chain.client.mine({ blocks: 40 })
  await follow()
  await insertSafe(late, 1_700_000_000)
  await chain.client.mine({ blocks: 1 })
  return late
}

/** A node that gives logs of ten blocks at once. */
export function limitToTenBlocks({ method, params }: RpcCall): Fault | undefined {
  if (method !== 'eth_getLogs') return undefined
  const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }]
  if (Number(toBlock) - Number(fromBlock) < 10) return undefined
  return { error: { code: -32602, message: 'at most 10 blocks' } }
}

type Given = Partial<Pick<TransferFollowerContext, 'sizer' | 'stop' | 'unread'>> & {
  /** Default: the one with faults. */
  rpcUrls?: readonly string[]
}

/** Rounds until the head is reached. */
export async function follow(
  settings: Partial<TransferSettings> = {},
  db: pg.ClientBase = client,
  { sizer = createRangeSizer({ first: 2_000 }), ...given }: Given = {},
): Promise<void> {
  while ((await round(settings, db, { sizer, ...given })).isUnfinished);
}

/** One round. */
export async function round(
  settings: Partial<TransferSettings>,
  db: pg.ClientBase,
  {
    sizer = createRangeSizer({ first: 2_000 }),
    unread = createUnreadSearch(),
    stop,
    rpcUrls = [rpc.url],
  }: Given,
): Promise<Round> {
  return followTransfersOnce({
    chain: { ...chain.config, tokens: configuredTokens() },
    db,
    sizer,
    stop,
    pool: createRpcPool({ chainId: CHAIN, rpcUrls }),
    settings: { ...SETTINGS, ...settings },
    unread,
    onEvent: (event) => void events.push(event),
  })
}

/** Follows with a connection that is cut after so many statements. @returns whether it was */
export async function followUntil(statements: number): Promise<boolean> {
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
export async function readAllRows() {
  const { rows } = await client.query(
    `select safe_address, token, is_listed, first_block, last_block, balance, is_stale
     from app.safe_balance order by safe_address, token`,
  )
  return rows
}

/** The chain’s tokens, with the false one that is listed. */
export function configuredTokens() {
  const entry = (address: Hex) => ({ address, decimals: 18 })
  return {
    USDC: entry(tokens.USDC),
    ZEN: entry(chain.contracts.tokens.ZEN),
    ODD: entry(falseAddress(ODD)),
  }
}

/** The relayer's record of a Safe. */
export async function readSafe(safe: Hex): Promise<SafeContents> {
  const key = { chainId: CHAIN, safeAddress: safe }
  return (await loadBalances(database.db, [key])).get(contentsKey(key)) ?? NOTHING_YET
}

/** A listed token's balance as the API reports it. */
export function formatBalance(symbol: keyof typeof tokens, balance: bigint) {
  return { token: tokens[symbol], balance, isListed: true }
}

/** A Safe issued just now. */
export async function insertNewSafe(intent?: number): Promise<Hex> {
  const safe = safeAddress()
  await insertSafe(safe, Math.floor(Date.now() / 1_000), intent)
  return safe
}

/** For the follower any address will do. */
export function safeAddress(): Hex {
  entries += 1
  return `0x${keccak256(toHex(`safe ${entries}`)).slice(-40)}`
}

/** Makes a Safe out at a time, in unix seconds, for an intent of its own or another's. */
export async function insertSafe(
  safe: Hex,
  createdAt: number,
  intent?: number,
  db = client,
): Promise<void> {
  await db.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, created_at)
     values (sha256($1::bytea), $2, $3, $4, decode(repeat('04', 65), 'hex'), 1, $4, 0, '', $5)`,
    [safe, CHAIN, intent ?? entries, safe, createdAt],
  )
}

/** Mints one of the chain’s tokens. */
export async function mint(symbol: keyof typeof tokens, to: Hex, amount: bigint): Promise<void> {
  await payer.execute({ to: tokens[symbol], data: encodeMint(to, amount) })
}

/** A transfer out of a Safe, or of any other address. */
export async function sendFrom(
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

/** A token that answers whatever we want, at an address by its number. */
export async function falseToken(number: number, balance: bigint): Promise<Hex> {
  const address = falseAddress(number)
  await chain.client.setCode({ address, bytecode: falseTokenCode(balance) })
  return address
}

function falseAddress(number: number): Hex {
  return `0x${(0xfa15e0000 + number).toString(16).padStart(40, '0')}`
}

/** Has a false token say that something of it came to a Safe. */
export async function announce(token: Hex, safe: Hex): Promise<void> {
  await payer.execute({ to: token, data: `0x${safe.slice(2).padStart(64, '0')}` })
}

function lower(address: Address): Hex {
  return address.toLowerCase() as Hex
}
