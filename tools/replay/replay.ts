import { join } from 'node:path'
import pg from 'pg'
import { createRpcPool } from '../../services/chain/rpcPool/rpcPool.ts'
import { createComparedNodes } from '../../services/indexer/history/comparedNodes.ts'
import { type Db, openDatabase } from '../../services/store/database/openDatabase.ts'
import { onDatabase, ToolError } from '../commandLine.ts'
import type { Progress } from '../progressBar.ts'
import { checkBalances, checkPastBalances } from './checkBalances.ts'
import { type ConnectedChain, chooseLastBlocks } from './chooseLastBlocks.ts'
import { comparePastReplay } from './comparePastReplay.ts'
import { type Comparison, compareReplay } from './compareReplay.ts'
import { exportRows } from './exportRows.ts'
import { findOmissions } from './findOmissions.ts'
import type { ReplayOptions } from './parseOptions.ts'
import { readDatabaseHeight } from './readDatabaseHeight.ts'
import type { ReplayTargets } from './readTargets.ts'
import { type Replay, replayChain } from './replayChain.ts'
import { type ChainReport, composeChainReport } from './replayReport.ts'
import { type ReplayOutput, retryWhileChanging } from './retryWhileChanging.ts'
import {
  countStatuses,
  type StatusCounts,
  type StatusTally,
  tallyStatuses,
} from './tallyStatuses.ts'

/** Replays the chains one after another, and checks and exports them as the options say. */
export async function replay(
  { chains, databaseUrl }: ReplayTargets,
  options: ReplayOptions,
  output: ReplayOutput,
): Promise<ChainReport[]> {
  const database = options.compare ? await connect(databaseUrl) : null
  try {
    const asked = chains.map((chain) => ({
      chain,
      nodes: createComparedNodes(createRpcPool(chain)),
    }))
    const blocks = await chooseLastBlocks(asked, options)
    const reports: Outcome[] = []
    for (const one of asked) {
      const to = blocks.get(one.chain.name) ?? null
      const task = { ...one, to }
      reports.push(
        await retryWhileChanging(one.chain.name, output, () =>
          replayOnce(task, options, database, output.progress),
        ),
      )
    }
    const statuses = countStatuses(reports.map(({ tally }) => tally))
    return reports.map(({ report }) => {
      return { ...report, statuses: statuses.get(report.chainId) as StatusCounts }
    })
  } finally {
    await database?.close()
  }
}

type Task = ConnectedChain & {
  /** Last block; null for the head, or with `--compare` for the database's height. */
  to: number | null
}

type Outcome = { report: ReturnType<typeof composeChainReport>; tally: StatusTally }

async function replayOnce(
  { chain, nodes, to }: Task,
  options: ReplayOptions,
  database: ComparedDatabase | null,
  progress: Progress,
): Promise<Outcome> {
  const isPast = to !== null
  const last = database && !isPast ? await readDatabaseHeight(database.client, chain.chainId) : to
  const replayed = await replayChain(chain, nodes, last, progress)
  const comparison = database && (await compare(database, replayed, isPast, options, progress))
  const balances = await (isPast ? checkPastBalances : checkBalances)(replayed)
  const omissions = await findOmissions(replayed)
  if (options.exportTo !== null) {
    await exportRows(replayed.store, join(options.exportTo, chain.name), options.format)
  }
  const report = composeChainReport(replayed, { balances, comparison, omissions })
  return { report, tally: tallyStatuses(replayed) }
}

async function compare(
  { client, db }: ComparedDatabase,
  replayed: Replay,
  isPast: boolean,
  { differences }: ReplayOptions,
  progress: Progress,
): Promise<Comparison> {
  if (!isPast) return compareReplay(client, replayed, progress, differences)
  return { ...(await comparePastReplay(client, db, replayed, differences)), keptHash: null }
}

type ComparedDatabase = {
  /** One connection, for reads in one snapshot. */
  client: pg.Client
  db: Db
  close(): Promise<void>
}

async function connect(databaseUrl: string | null): Promise<ComparedDatabase> {
  if (databaseUrl === null) throw new ToolError('--compare needs DATABASE_URL')
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'cairn_replay',
  })
  // A connection that breaks also fails its query; without a listener it would end the process.
  client.on('error', () => {})
  await onDatabase('DATABASE_URL', databaseUrl, client.connect())
  const { db, close } = openDatabase({ databaseUrl, name: 'cairn_replay', connections: 1 })
  return { client, db, close: () => Promise.all([client.end(), close()]).then(() => {}) }
}
