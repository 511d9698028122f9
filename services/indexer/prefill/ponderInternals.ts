import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'
import { assembleTables, type PonderTables } from './ponderTables.ts'

/** The only version of Ponder whose cache tables and rules this prefill was written and tested against. */
export const supportedPonderVersion = '0.17.7'

/** A log as providers send it; fields are hex text. */
export type RawLog = {
  blockNumber: string
  blockHash: string
  logIndex: string
  transactionIndex: string
  transactionHash: string
  address: string
  topics: string[]
  data: string
}
export type RawTransaction = {
  hash: string
  blockHash: string
  blockNumber: string
  transactionIndex: string
}
export type RawBlock = {
  number: string
  hash: string
  parentHash: string
  timestamp: string
  logsBloom: string
  transactions: (string | RawTransaction)[] | undefined
}
/** A row of a cache table by Ponder's own column names (camel case). */
export type CacheRow = Record<string, string | number | bigint | null>

export type LogFilter = {
  type: 'log'
  chainId: number
  address: string
  topic0: string
  topic1: null
  topic2: null
  topic3: null
  fromBlock: number
  hasTransactionReceipt: false
}
export type CacheFragment = { id: string; adjacentIds: string[] }

type Request = { method: string; params: readonly unknown[] }

/** The little of Kysely that running migrations takes. */
export type MigratingKysely = {
  Kysely: new (config: { dialect: object; plugins: object[] }) => { destroy(): Promise<void> }
  PostgresDialect: new (config: { pool: object }) => object
  WithSchemaPlugin: new (schema: string) => object
  Migrator: new (config: {
    db: object
    provider: { getMigrations(): Promise<object> }
    migrationTableSchema: string
  }) => { migrateToLatest(): Promise<{ error?: unknown }> }
}

/** The parts of Ponder that decide what its cache holds; used as they are, so that ours can't differ. */
export type PonderInternals = PonderTables & {
  finalityBlockCount(chainId: number): number
  /** Ids under which intervals are kept for a filter, and the wider ids that also cover it. */
  fragmentsOf(filter: LogFilter): CacheFragment[]
  standardizeLogs(logs: RawLog[], request: Request): RawLog[]
  standardizeBlock(block: RawBlock, request: Request): RawBlock
  encodeLog(input: { log: RawLog; chainId: number }): CacheRow
  encodeBlock(input: { block: RawBlock; chainId: number }): CacheRow
  encodeTransaction(input: { transaction: RawTransaction; chainId: number }): CacheRow
  /** Narrower ranges for a refused `eth_getLogs`, read from the many ways in which providers put it. */
  narrowerRanges(input: { params: readonly unknown[]; error: unknown }): {
    shouldRetry: boolean
    isSuggestedRange?: boolean
    ranges?: { fromBlock: string; toBlock: string }[]
  }
  syncMigrations(): Promise<object>
  /** Kysely as Ponder itself resolves it: its migrations are written for that version. */
  kysely: MigratingKysely
}

/** Ponder isn't the version that this prefill knows: it must not touch the cache. */
export class UnknownPonderError extends Error {
  override readonly name = 'UnknownPonderError'
}

/**
 * Loads Ponder's own functions from its installed package.
 *
 * @param entry file URL of the module that `ponder` resolves to.
 * @throws UnknownPonderError when it is another version, or when a part isn't where it was.
 */
export async function loadPonderInternals(
  entry: string = import.meta.resolve('ponder'),
): Promise<PonderInternals> {
  const version = installedVersion(entry)
  if (version !== supportedPonderVersion) {
    throw new UnknownPonderError(
      `Ponder ${version} is installed; only the cache of ${supportedPonderVersion} is supported`,
    )
  }
  try {
    return await assemble(entry)
  } catch (cause) {
    throw new UnknownPonderError(`Ponder ${version} lacks a part that the prefill needs`, {
      cause,
    })
  }
}

function installedVersion(entry: string): string {
  // `ponder` resolves to dist/esm/index.js, three levels below the package's root.
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', entry), 'utf8'))
  return String(manifest.version)
}

async function assemble(entry: string): Promise<PonderInternals> {
  const part = (path: string) => import(new URL(path, entry).href)
  const [checkpoint, kit, databaseActions] = await Promise.all([
    part('utils/checkpoint.js'),
    part('drizzle/kit/index.js'),
    part('database/actions.js'),
  ])
  const [encode, fragments, actions, finality, migrations] = await Promise.all([
    part('sync-store/encode.js'),
    part('runtime/fragments.js'),
    part('rpc/actions.js'),
    part('utils/finality.js'),
    part('sync-store/migrations.js'),
  ])
  const [ponderUtils, kysely] = await Promise.all([
    import('@ponder/utils' as string),
    import(new URL('dist/esm/index.js', packageOf('kysely', entry)).href),
  ])
  const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, child: () => quiet }
  return {
    finalityBlockCount: (id) => finality.getFinalityBlockCount({ chain: { id } }),
    fragmentsOf: (filter) =>
      fragments.getFragments(filter).map((one: { fragment: unknown; adjacentIds: string[] }) => ({
        id: fragments.encodeFragment(one.fragment),
        adjacentIds: one.adjacentIds,
      })),
    standardizeLogs: callable(actions.standardizeLogs),
    standardizeBlock: callable(actions.standardizeBlock),
    encodeLog: callable(encode.encodeLog),
    encodeBlock: callable(encode.encodeBlock),
    encodeTransaction: callable(encode.encodeTransaction),
    narrowerRanges: callable(ponderUtils.getLogsRetryHelper),
    syncMigrations: () => migrations.buildMigrationProvider(quiet).getMigrations(),
    kysely,
    ...assembleTables({ checkpoint, kit, databaseActions }),
  }
}

/** File URL of the manifest of a package that Ponder uses: a version of its own, perhaps. */
function packageOf(name: string, entry: string): URL {
  const manifest = findPackageJSON(name, entry)
  if (manifest === undefined) throw new TypeError(`no ${name}`)
  return pathToFileURL(manifest)
}

function callable<T>(value: T): T {
  if (typeof value !== 'function') throw new TypeError('not a function')
  return value
}
