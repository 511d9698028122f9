import pg from 'pg'
import { crossCheckBlock } from '../../chain/rpcPool/crossCheckBlock.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { createRpcPool, type RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../config/chains.ts'
import { blocksIn } from './blockRange.ts'
import { InconsistentRangeError } from './checkRange.ts'
import { revokeRange } from './commitRange.ts'
import { contractFilters } from './contractFilters.ts'
import type { FetchContext, LogQuery } from './fetchLogs.ts'
import { fillRanges, type Written } from './fillRanges.ts'
import { findContradiction } from './findContradiction.ts'
import { migrateSyncSchema } from './migrateSyncSchema.ts'
import { missingCreations } from './missingCreations.ts'
import { missingRanges } from './missingRanges.ts'
import {
  type LogFilter,
  loadPonderInternals,
  type PonderInternals,
  UnknownPonderError,
} from './ponderInternals.ts'
import type { PrefillProgress } from './prefillProgress.ts'

export type PrefillOptions = {
  chain: ChainConfig
  databaseUrl: string
  /** The chain's RPC pool, where one runs already; by default the prefill makes its own. */
  pool?: RpcPool
  onProgress?: (progress: PrefillProgress) => void
  signal?: AbortSignal
  /** Milliseconds to wait for any provider to answer before leaving the rest to Ponder. Default 60,000. */
  patienceMs?: number
  /** File URL of Ponder's entry module; by default the installed one. */
  ponderEntry?: string
}

/**
 * How a prefill ended. Whatever it says, Ponder may start: what isn't in the cache it fetches itself.
 * - `filled`: everything up to the finalised block is there now.
 * - `complete`: it was there already.
 * - `refused`: this Ponder isn't known, so its cache wasn't touched.
 * - `contradicted`: the cache holds a block that the chain doesn't have (a chain that was reset, or a reorg
 *   deeper than Ponder's finality). It wasn't touched; whoever runs the chain must start from an empty one.
 * - `unfinished`: providers failed or contradicted each other; what was written is right and is kept.
 */
export type PrefillResult =
  | ({ status: 'filled'; toBlock: number } & Written)
  | { status: 'complete'; toBlock: number }
  | { status: 'refused'; reason: string }
  | { status: 'contradicted'; blockNumber: number; cachedHash: string; chainHash: string }
  | ({ status: 'unfinished'; reason: string } & Written)

/**
 * Fills Ponder's sync cache with the history of one chain's contracts, from its start block to the block that
 * Ponder takes for final. Call it before the chain's Ponder starts. It can be interrupted at any moment, by
 * `kill -9` too, and goes on where it was.
 *
 * @throws on database errors, and the signal's reason when it is aborted.
 */
export async function prefill(options: PrefillOptions): Promise<PrefillResult> {
  let ponder: PonderInternals
  try {
    ponder = await loadPonderInternals(options.ponderEntry)
  } catch (error) {
    if (error instanceof UnknownPonderError) return { status: 'refused', reason: error.message }
    throw error
  }
  await migrateSyncSchema(options.databaseUrl, ponder)
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: 'cairn_prefill',
  })
  // A lost connection also fails the query that is under way; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await fillUpToFinality(options, ponder, client)
  } finally {
    await client.end()
  }
}

/** Every contract with every event: what no contract writes, none can be asked for in vain. */
function queryOf(filters: readonly LogFilter[]): LogQuery {
  return {
    addresses: [...new Set(filters.map(({ address }) => address))],
    topics: [...new Set(filters.map(({ topic0 }) => topic0))],
  }
}

async function fillUpToFinality(
  options: PrefillOptions,
  ponder: PonderInternals,
  client: pg.Client,
): Promise<PrefillResult> {
  const { chain, signal, patienceMs = 60_000 } = options
  const { chainId } = chain
  const pool = options.pool ?? createRpcPool(chain)
  const filters = contractFilters(chain)
  const fragments = filters.flatMap(ponder.fragmentsOf)
  const query = queryOf(filters)
  const context = {
    pool,
    ponder,
    query,
    signal,
    patienceMs,
    chainId,
    fragmentIds: fragments.map(({ id }) => id),
  }
  const finality = ponder.finalityBlockCount(chainId)
  const written: Written = { ...nothingWritten }
  let filledTo: number | undefined

  try {
    while (true) {
      const toBlock = Math.max((await headOf(context)) - finality, 0)
      await crossCheckBlock(pool, toBlock, { signal })
      const contradiction = await findContradiction(context, client, toBlock)
      if (contradiction) return { status: 'contradicted', ...contradiction }
      const missing = await missingRanges(
        client,
        { from: chain.startBlock, to: toBlock },
        fragments,
      )
      const blocks = missing.reduce((sum, range) => sum + blocksIn(range), 0)
      const isDone = blocks === 0 || (filledTo !== undefined && blocks <= finality)
      if (isDone) await expectCreations(context, client, chain, filledTo ?? toBlock)
      if (blocks === 0 && filledTo === undefined) return { status: 'complete', toBlock }
      // While we filled, the chain went on. What little is new by now, Ponder fetches while it starts.
      if (filledTo !== undefined && isDone) {
        return { status: 'filled', toBlock: filledTo, ...written }
      }
      const stands = await fillRanges(
        { ...context, chain, client, written, onProgress: options.onProgress },
        missing,
      )
      filledTo = stands ? toBlock : undefined
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!unfinished.some((kind) => error instanceof kind)) throw error
    const { message } = error as Error
    return { status: 'unfinished', reason: message, ...written }
  }
}

/** Logs are missing that nobody gave. */
class LeftOutError extends Error {
  override readonly name = 'LeftOutError'
}

/** After these, what is written stays and Ponder does the rest. */
const unfinished = [RpcError, InconsistentRangeError, LeftOutError]

/**
 * Takes the stretch back in which creations are missing, so that it is fetched again: by Ponder now, and
 * by the prefill at the next start.
 */
async function expectCreations(
  context: FetchContext & { chainId: number; fragmentIds: string[] },
  client: pg.Client,
  chain: ChainConfig,
  toBlock: number,
): Promise<void> {
  const missing = await missingCreations(context, client, chain, toBlock)
  if (!missing) return
  const { from, to, intents } = missing
  const { chainId, fragmentIds, query } = context
  await revokeRange(client, { chainId, fragmentIds, from, to }, query.addresses)
  throw new LeftOutError(
    `the logs of blocks ${from} to ${to} lack the creation of ${intents} intents that the bridge counts: add another provider`,
  )
}

const nothingWritten: Written = {
  ...{ logs: 0, blocks: 0, transactions: 0, elapsedMs: 0 },
  ...{ ranges: 0, confirmedRanges: 0 },
}

async function headOf({
  pool,
  signal,
  patienceMs,
}: {
  pool: RpcPool
  signal: AbortSignal | undefined
  patienceMs: number
}): Promise<number> {
  return Number(await pool.request('eth_blockNumber', [], { signal, patienceMs }))
}
