import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Db } from '../../services/store/database/openDatabase.ts'

/** A database that answers each statement with these rows; by default with none. */
export function createFakeDatabase(answer: (statement: CompiledQuery) => object[] = () => []): Db {
  const connection = {
    executeQuery: async (statement: CompiledQuery) => ({ rows: answer(statement) as never[] }),
    async *streamQuery() {},
  }
  class Driver extends DummyDriver {
    override acquireConnection = async () => connection
  }
  return new Kysely<never>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Driver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }) as unknown as Db
}
