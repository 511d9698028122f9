import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { expect, test } from 'vitest'
import { listLiveSolvers } from '../../../services/relayer/solvers/listLiveSolvers.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'

test('all who ask at once share one reading of the table', async () => {
  const statements: string[] = []
  const db = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (asked) => new PostgresIntrospector(asked),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => {
      statements.push(query.sql)
    },
  }) as unknown as Db
  const found = await Promise.all(Array.from({ length: 20 }, () => listLiveSolvers(db)))
  expect(statements).toHaveLength(1)
  expect(new Set(found).size, 'what was rendered from it is shared too').toBe(1)
})
