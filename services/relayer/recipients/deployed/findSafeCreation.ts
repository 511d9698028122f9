import { sql } from 'kysely'
import { encodeEventTopics } from 'viem'
import { safeProxyFactoryAbi } from '../../../../core/safe/safeAbi.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { readLogs, type SendRequests } from '../../../chain/history/readLogs.ts'
import { requestFromPool } from '../../../chain/history/requestFromPool.ts'
import { parseAnswer, quantity } from '../../../chain/history/rpcSchemas.ts'
import type { RpcPool } from '../../../chain/rpcPool/rpcPool.ts'
import { asBytes } from '../../../store/database/columnSql.ts'
import type { Db } from '../../../store/database/openDatabase.ts'

/** The transaction that created a Safe, and the blocks on top of its own. */
type Creation = { txHash: Hex; depth: number }

/** A Safe, and since when its address can have been known, in unix seconds. */
type Sought = { safeAddress: Hex; proxyFactory: Hex; knownSince: number }

/** Block ranges per search. */
const MOST_RANGES = 30
/** Milliseconds for each range, and for all. */
const TIMEOUT_MS = 3_000
export const SEARCH_TIMEOUT_MS = 10_000
/** Seconds by which a chain's clock may be behind the machine's. */
const CLOCK_SLACK = 600

/**
 * Finds the factory's log of a Safe's creation, searching backwards from the head: to the time when its address was
 * issued, or through at most thirty block ranges or ten seconds.
 *
 * @returns null when it isn't found in that range
 * @throws RpcError when no node answers
 */
export async function findSafeCreation(
  pool: Pick<RpcPool, 'send'>,
  { safeAddress, proxyFactory, knownSince }: Sought,
): Promise<Creation | null> {
  const until = performance.now() + SEARCH_TIMEOUT_MS
  const left = () => until - performance.now()
  const topics = topicsOf(safeAddress)
  let ranges = 0
  const ask: SendRequests = (requests) => {
    ranges += 1
    return requestFromPool(pool, { totalTimeoutMs: Math.min(TIMEOUT_MS, left()) })(requests)
  }
  const top = await requestBlockNumber(pool)
  const parts = readLogs(ask, {
    filters: [{ address: proxyFactory, topics }],
    from: 0,
    to: top,
    order: 'descending',
    extraHeaders: ({ from }) => [from],
    isDone: () => ranges >= MOST_RANGES || left() <= 0,
  })
  for await (const { logs, extraHeaders } of parts) {
    const [creation] = logs
    if (creation) return { txHash: creation.transactionHash, depth: top - creation.blockNumber }
    const [first = null] = extraHeaders
    if (first !== null && first.timestamp < knownSince - CLOCK_SLACK) return null
  }
  return null
}

function topicsOf(proxy: Hex) {
  return encodeEventTopics({
    abi: safeProxyFactoryAbi,
    eventName: 'ProxyCreation',
    args: { proxy },
  }) as Hex[]
}

async function requestBlockNumber(pool: Pick<RpcPool, 'send'>): Promise<number> {
  const { answers } = await pool.send([{ method: 'eth_blockNumber', params: [] }], {
    totalTimeoutMs: TIMEOUT_MS,
  })
  const [answer] = answers
  if (!answer || 'error' in answer) throw answer?.error ?? new Error('an empty answer')
  return parseAnswer(quantity, answer.result, 'eth_blockNumber')
}

/** The transaction that created a Safe, if it was found before, and since when its address is known. */
type KnownCreation = { txHash: Hex | null; createdAt: number }

/** Null when we issued no such Safe on that chain. Lower case. */
export async function findKnownSafeCreation(
  db: Db,
  chainId: number,
  safeAddress: Hex,
): Promise<KnownCreation | null> {
  const { rows } = await sql<KnownCreation>`
    select deployment_tx_hash as "txHash", created_at as "createdAt" from app.stealth_entry
    where chain_id = ${chainId}::bigint and safe_address = ${safeAddress}`.execute(db)
  return rows[0] ?? null
}

/** Records permanently which transaction created a Safe. */
export async function saveSafeCreation(
  db: Db,
  chainId: number,
  safeAddress: Hex,
  txHash: Hex,
): Promise<void> {
  await sql`update app.stealth_entry set deployment_tx_hash = ${asBytes(txHash)}
    where chain_id = ${chainId}::bigint and safe_address = ${safeAddress}`.execute(db)
}
