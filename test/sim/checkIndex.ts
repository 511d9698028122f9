import { sql } from 'kysely'
import {
  ChangedDuringReadError,
  UnusableAnswerError,
} from '../../services/chain/history/historyErrors.ts'
import { readStateHashes } from '../../services/store/chains/readStateHashes.ts'
import { type OpenDatabase, openDatabase } from '../../services/store/database/openDatabase.ts'
import { ToolError } from '../../tools/commandLine.ts'
import type { ChainReport } from '../../tools/replay/replayReport.ts'
import type { PostgresUnderTest } from '../postgresUnderTest.ts'
import { until } from '../rig/until.ts'
import { compareWithReplay } from './compareWithReplay.ts'
import type { SimulatedChain } from './simulationTestbed.ts'

/** Milliseconds for the index to recover after the last fault: takes seconds, or minutes on a busy machine. */
const HEALED_WITHIN = 240_000
/** Mine a block when a head isn't indexed within this time: a node announces only new heads. */
const NUDGE_MS = 2_000

/** Events that readers have seen, by chain, block hash and log index. */
export type SeenEvents = Set<string>

/**
 * Waits until readers see the chains' heads, then checks the invariants: rows and balances equal a replay's, the state
 * hash too, and every event ever seen is either indexed or recorded as orphaned, never both.
 *
 * @param seen events seen up to the last check; updated
 * @returns the number of rows compared
 * @throws with the violation
 */
export async function checkIndex(
  postgres: PostgresUnderTest,
  chains: readonly SimulatedChain[],
  seen: SeenEvents,
): Promise<number> {
  await Promise.all(chains.map((chain) => awaitHeadSeen(postgres, chain)))
  const bridges = chains.map(({ bridge }) => bridge)
  const reports = await retryWhileChanging(async () => {
    const replayed = await compareWithReplay(postgres.databaseUrl, bridges)
    await stateHashesEqual(postgres.databaseUrl, replayed)
    return replayed
  })
  await orphansAreOnRecord(postgres, seen)
  return reports.reduce((sum, { comparison }) => sum + (comparison?.rows ?? 0), 0)
}

/** Compares again while the chain moves: a replay of a moving chain proves nothing. */
async function retryWhileChanging<Result>(compare: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + HEALED_WITHIN
  for (;;) {
    try {
      return await compare()
    } catch (error) {
      const passing = [ToolError, UnusableAnswerError, ChangedDuringReadError]
      const isMoving = passing.some((kind) => error instanceof kind)
      if (!isMoving || Date.now() > deadline) throw error
    }
  }
}

/** Resolves when readers see a chain's head. @throws after `HEALED_WITHIN` */
export async function awaitHeadSeen(
  postgres: PostgresUnderTest,
  chain: SimulatedChain,
): Promise<void> {
  const { bridge } = chain
  const client = await postgres.connect()
  const deadline = Date.now() + HEALED_WITHIN
  const indexed = async () => {
    const { rows } = await client
      .query('select block_number from cairn.chain_clock where chain_id = $1', [bridge.chainId])
      // Nothing to read before the indexer's first commit.
      .catch(() => ({ rows: [] }))
    return Number(rows[0]?.block_number ?? -1)
  }
  for (;;) {
    const before = Number(await bridge.client.getBlockNumber({ cacheTime: 0 }))
    // Mine above every earlier head: an index of replaced blocks could otherwise be stuck at that height.
    await bridge.client.mine({ blocks: Math.max(chain.highest - before, 0) + 1 })
    const head = Number(await bridge.client.getBlockNumber({ cacheTime: 0 }))
    chain.highest = Math.max(chain.highest, head)
    const nudge = Date.now() + NUDGE_MS
    while (Date.now() < nudge) {
      if ((await indexed()) === head) return void (await client.end())
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    if (Date.now() > deadline) {
      throw new Error(
        `${bridge.name} did not recover: its head is ${head}, readers see ${await indexed()}`,
      )
    }
  }
}

async function stateHashesEqual(databaseUrl: string, reports: ChainReport[]): Promise<void> {
  const { db, close } = openDatabase({ databaseUrl, connections: 1 })
  try {
    for (const { chain, chainId, stateHash, block, rows } of reports) {
      await until(async () => {
        const kept = (await readStateHashes(db)).find((one) => one.chainId === chainId)
        // The hash may not be computed yet, and a Ponder that lost its database may restart a little later.
        if (!kept?.stateHash || kept.block.number < block.number) return false
        // A Ponder that was restarted meanwhile resumes at an earlier block.
        if (kept.block.number > block.number)
          throw new ChangedDuringReadError(`the index of ${chain} was behind its head`)
        if (kept.stateHash === stateHash) return true
        const sums = await sumsThatDiffer(db, chainId)
        throw new Error(
          `state hash of ${chain} at ${block.number}: kept ${kept.stateHash}, replayed ${stateHash} of ${JSON.stringify(rows)}; ${sums}`,
        )
      }, `the state hash of ${chain}`)
    }
  } finally {
    await close()
  }
}

/** Describes tables whose stored sums differ from the sums of their rows. */
async function sumsThatDiffer(db: OpenDatabase['db'], chainId: number): Promise<string> {
  const { rows: active } = await sql<{ name: string }>`select schema_name as name
    from app.projection where chain_id = ${chainId} and active`.execute(db)
  const kept = sql<{ text: string }>`select string_agg(b.table_name || ' ' || b.rows + c.rows || ' '
      || (b.lane_0 + c.lane_0), ', ' order by b.table_name) as text
    from app.state_base b join app.state_change c using (schema_name, table_name)
    where schema_name = ${active[0]?.name}`
  const before = (await kept.execute(db)).rows[0]?.text
  await sql`select app.measure_state(${active[0]?.name})`.execute(db)
  const after = (await kept.execute(db)).rows[0]?.text
  return `kept: ${before}; counted anew: ${after}`
}

async function orphansAreOnRecord(postgres: PostgresUnderTest, seen: SeenEvents): Promise<void> {
  const client = await postgres.connect()
  const names = async (from: string) => {
    const { rows } = await client.query(
      `select chain_id || ' ' || block_hash || ' ' || log_index as name from ${from}`,
    )
    return rows.map(({ name }) => name as string)
  }
  const present = new Set(await names('cairn.event'))
  const recorded = await names('app.orphaned_event where restored_at is null')
  const orphans = new Set(recorded)
  const both = recorded.filter((name) => present.has(name))
  if (both.length > 0) throw new Error(`recorded as orphans, and indexed: ${both.join(', ')}`)
  const lost = [...seen].filter((name) => !present.has(name) && !orphans.has(name))
  if (lost.length > 0) throw new Error(`gone without a record: ${lost.join(', ')}`)
  seen.clear()
  for (const name of present) seen.add(name)
  await client.end()
}
