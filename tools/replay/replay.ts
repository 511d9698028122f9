import { join } from 'node:path'
import pg from 'pg'
import { MovedError } from '../../services/chain/history/historyError.ts'
import { createRpcPool } from '../../services/chain/rpcPool/rpcPool.ts'
import { type AskedChain, blocksAsOf } from './blocksAsOf.ts'
import { compareReplay, databaseHeight } from './compareReplay.ts'
import { exportRows } from './exportRows.ts'
import type { ReplayOptions } from './parseOptions.ts'
import type { Progress } from './progress.ts'
import type { ReplayTargets } from './readTargets.ts'
import { replayChain } from './replayChain.ts'
import { ReplayError } from './replayError.ts'
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
    const asked = chains.map((chain) => ({ chain, pool: createRpcPool(chain) }))
    const blocks = client ? new Map<string, number>() : await blocksAsOf(asked, options)
    for (const one of asked) {
      const to = blocks.get(one.chain.name) ?? null
      reports.push(await untilStill({ ...one, to }, options, client, output))
    }
    return reports
  } finally {
    await client?.end()
  }
}

type Task = AskedChain & {
  /** Last block; null for the head. */
  to: number | null
}

async function untilStill(
  task: Task,
  options: ReplayOptions,
  client: pg.Client | null,
  output: ReplayOutput,
): Promise<ChainReport> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await replayOnce(task, options, client, output.progress)
    } catch (error) {
      if (!(error instanceof MovedError) || attempt === ATTEMPTS) throw error
      output.explain(`${error.message}: a reorg, most likely. Beginning ${task.chain.name} anew.`)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    } finally {
      output.progress.end()
    }
  }
}

async function replayOnce(
  { chain, pool, to }: Task,
  options: ReplayOptions,
  client: pg.Client | null,
  progress: Progress,
): Promise<ChainReport> {
  const last = client ? await databaseHeight(client, chain.chainId) : to
  const replayed = await replayChain(chain, pool, last, progress)
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
  // A connection that breaks also fails its query; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}
