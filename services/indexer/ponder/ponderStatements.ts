/** A place in a chain's history, as Ponder's checkpoints name it. */
type PonderCheckpoint = {
  blockTimestamp: bigint
  chainId: bigint
  blockNumber: bigint
  transactionIndex: bigint
  eventType: number
  eventIndex: bigint
}

/** The parts of Ponder that decide what an app's own tables are and how its progress is kept. */
export type PonderStatements = {
  /** Statements that create the tables of a schema module, and beside each the one for its reorgs. */
  tableStatements(schemaModule: object): string[]
  /** Statements that create the functions through which live queries are notified. */
  liveQueryStatements(schema: string): Promise<string[]>
  /** Statements that take back all that was written to a table above the block taken for final. */
  recoveryStatements(table: object): Promise<string[]>
  /** The end of a block as checkpoint text. */
  endOfBlock(block: { chainId: number; blockNumber: number; blockTimestamp: number }): string
  decodeCheckpoint(text: string): PonderCheckpoint
}

/** What Ponder's actions on a database take for one: here they only tell their statements. */
type Database = {
  wrap(work: (database: { execute(statement: string): void }) => void): Promise<void>
  transaction(work: (transaction: Database) => Promise<void>): Promise<void>
}

type Modules = {
  kit: { getSql(schemaModule: object): { tables: { sql: string[] } } }
  databaseActions: {
    createLiveQueryProcedures(
      database: Database,
      names: { namespaceBuild: { schema: string } },
    ): Promise<void>
    crashRecovery(database: Database, recovered: { table: object }): Promise<void>
  }
  checkpoint: {
    MAX_CHECKPOINT: PonderCheckpoint
    encodeCheckpoint(checkpoint: PonderCheckpoint): string
    decodeCheckpoint(text: string): PonderCheckpoint
  }
}

/** @throws a TypeError when a part isn't there. */
export function assembleStatements({
  kit,
  databaseActions,
  checkpoint,
}: Modules): PonderStatements {
  const { MAX_CHECKPOINT, encodeCheckpoint, decodeCheckpoint } = checkpoint
  const { createLiveQueryProcedures, crashRecovery } = databaseActions
  const actions = [createLiveQueryProcedures, crashRecovery]
  for (const part of [kit.getSql, ...actions, encodeCheckpoint, decodeCheckpoint]) {
    if (typeof part !== 'function') throw new TypeError('not a function')
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
  }
}

/** What an action of Ponder's would execute. */
async function statementsOf(action: (database: Database) => Promise<void>): Promise<string[]> {
  const statements: string[] = []
  const database: Database = {
    wrap: async (work) => work({ execute: (statement) => void statements.push(statement) }),
    transaction: (work) => work(database),
  }
  await action(database)
  return statements
}
