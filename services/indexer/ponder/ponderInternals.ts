import { readFileSync } from 'node:fs'

/** The only version of Ponder that the fold and the replaced modules support. */
export const supportedPonderVersion = '0.17.7'

/** A position in a chain's history, in the form of Ponder's checkpoints. */
type PonderCheckpoint = {
  blockTimestamp: bigint
  chainId: bigint
  blockNumber: bigint
  transactionIndex: bigint
  eventType: number
  eventIndex: bigint
}

/** Ponder's own functions that decide what its tables are and which blocks are final. */
export type PonderInternals = {
  /** Statements that create a schema module's tables, each with the table for its reorgs. */
  tableStatements(schemaModule: object): string[]
  /** Statements that create the functions that notify live queries. */
  liveQueryStatements(schema: string): Promise<string[]>
  /** Statements that revert everything written to a table above the final block. */
  recoveryStatements(table: object): Promise<string[]>
  /** The end of a block as checkpoint text. */
  endOfBlock(block: { chainId: number; blockNumber: number; blockTimestamp: number }): string
  decodeCheckpoint(text: string): PonderCheckpoint
  finalityBlockCount(chainId: number): number
  /** Narrower ranges for a rejected `eth_getLogs`, from the many error messages that providers use. */
  narrowerRanges(input: { params: readonly unknown[]; error: unknown }): {
    shouldRetry: boolean
    isSuggestedRange?: boolean
    ranges?: { fromBlock: string; toBlock: string }[]
  }
}

/** Ponder isn't the version that the fold supports, which must not touch its tables. */
export class UnknownPonderError extends Error {
  override readonly name = 'UnknownPonderError'
}

/**
 * Loads Ponder's own functions from its installed package.
 *
 * @param entry file URL of the module that `ponder` resolves to.
 * @throws UnknownPonderError for another version, or when a function is missing
 */
export async function loadPonderInternals(
  entry: string = import.meta.resolve('ponder'),
): Promise<PonderInternals> {
  const version = readInstalledVersion(entry)
  if (version !== supportedPonderVersion) {
    throw new UnknownPonderError(
      `Ponder ${version} is installed; only the tables of ${supportedPonderVersion} are supported`,
    )
  }
  try {
    return await assemble(entry)
  } catch (cause) {
    throw new UnknownPonderError(`Ponder ${version} lacks a part that the fold needs`, {
      cause,
    })
  }
}

/** @param entry file URL of the module that `ponder` resolves to */
export function readInstalledVersion(entry: string): string {
  // `ponder` resolves to dist/esm/index.js, three levels below the package's root.
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', entry), 'utf8'))
  return String(manifest.version)
}

async function assemble(entry: string): Promise<PonderInternals> {
  const part = (path: string) => import(new URL(path, entry).href)
  const [checkpoint, kit, actions, finality, utils] = await Promise.all([
    part('utils/checkpoint.js'),
    part('drizzle/kit/index.js'),
    part('database/actions.js'),
    part('utils/finality.js'),
    import('@ponder/utils' as string),
  ])
  const { MAX_CHECKPOINT, encodeCheckpoint, decodeCheckpoint } = checkpoint
  const { createLiveQueryProcedures, crashRecovery } = actions
  const { getFinalityBlockCount } = finality
  const { getLogsRetryHelper: narrowerRanges } = utils
  const checkpoints = [encodeCheckpoint, decodeCheckpoint]
  const parts = [kit.getSql, createLiveQueryProcedures, crashRecovery, getFinalityBlockCount]
  for (const needed of [...checkpoints, ...parts, narrowerRanges]) {
    if (typeof needed !== 'function') throw new TypeError('not a function')
  }
  return {
    tableStatements: (schemaModule) => kit.getSql(schemaModule).tables.sql,
    liveQueryStatements: (schema) =>
      statementsOf((database) =>
        createLiveQueryProcedures(database, { namespaceBuild: { schema } }),
      ),
    recoveryStatements: (table) => statementsOf((database) => crashRecovery(database, { table })),
    endOfBlock: ({ chainId, blockNumber, blockTimestamp }) =>
      encodeCheckpoint({
        ...MAX_CHECKPOINT,
        chainId: BigInt(chainId),
        blockNumber: BigInt(blockNumber),
        blockTimestamp: BigInt(blockTimestamp),
      }),
    decodeCheckpoint,
    finalityBlockCount: (id) => getFinalityBlockCount({ chain: { id } }),
    narrowerRanges,
  }
}

/** A fake database for Ponder's actions: it only records their statements. */
type Database = {
  wrap(work: (database: { execute(statement: string): void }) => void): Promise<void>
  transaction(work: (transaction: Database) => Promise<void>): Promise<void>
}

/** The statement that one of Ponder's actions would execute. */
async function statementsOf(action: (database: Database) => Promise<void>): Promise<string[]> {
  const statements: string[] = []
  const database: Database = {
    wrap: async (work) => work({ execute: (statement) => void statements.push(statement) }),
    transaction: (work) => work(database),
  }
  await action(database)
  return statements
}
