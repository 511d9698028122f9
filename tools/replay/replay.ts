import { join } from 'node:path'
import pg from 'pg'
import { createRpcPool } from '../../services/chain/rpcPool/rpcPool.ts'
import { compareReplay, databaseHeight } from './compareReplay.ts'
import { exportRows } from './exportRows.ts'
import type { ReplayOptions } from './parseOptions.ts'
import type { Progress } from './progress.ts'
import type { ReplayChain, ReplayTargets } from './readTargets.ts'
import { replayChain } from './replayChain.ts'
import { MovedError, ReplayError } from './replayError.ts'
import { type ChainReport, reportOf } from './report.ts'

/** How often a chain is begun anew when it, or the database, changed meanwhile. */
const ATTEMPTS = 4
/** The index notices a reorg at the next block or poll. */
const PAUSE_MS = 1_000

export type ReplayOutput = {
  progress: Progress
  /** Takes lines for people, such as why a chain is begun anew. */
  explain(line: string): void
}

/** Replays every chain, one after another, and checks and exports as the options ask. */
export async function replay(
  { chains, databaseUrl }: ReplayTargets,
  options: ReplayOptions,
  output: ReplayOutput,
): Promise<ChainReport[]> {
  const client = options.compare ? await connect(databaseUrl) : null
  try {
    const reports: ChainReport[] = []
    for (const chain of chains) reports.push(await untilStill(chain, options, client, output))
    return reports
  } finally {
    await client?.end()
  }
}

async function untilStill(
  chain: ReplayChain,
  options: ReplayOptions,
  client: pg.Client | null,
  output: ReplayOutput,
): Promise<ChainReport> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await replayOnce(chain, options, client, output.progress)
    } catch (error) {
      if (!(error instanceof MovedError) || attempt === ATTEMPTS) throw error
      output.explain(`${error.message}: a reorg, most likely. Beginning ${chain.name} anew.`)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    } finally {
      output.progress.end()
    }
  }
}

async function replayOnce(
  chain: ReplayChain,
  options: ReplayOptions,
  client: pg.Client | null,
  progress: Progress,
): Promise<ChainReport> {
  const pool = createRpcPool(chain)
  const asked = options.asOfChain.get(chain.name) ?? options.asOf
  const to = client ? await databaseHeight(client, chain.chainId) : asked
  const replayed = await replayChain(chain, pool, to, progress)
  const comparison = client
    ? await compareReplay(client, replayed, progress, options.differences)
    : null
  if (options.exportTo !== null) {
    await exportRows(replayed.store, join(options.exportTo, chain.name), options.format)
  }
  return reportOf(replayed, comparison)
}

async function connect(databaseUrl: string | null): Promise<pg.Client> {
  if (databaseUrl === null) throw new ReplayError('--compare needs DATABASE_URL')
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'cairn_replay',
  })
  await client.connect()
  return client
}
