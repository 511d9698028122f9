import { expect, test } from 'vitest'
import { listLiveSolvers } from '../../../services/relayer/solvers/listLiveSolvers.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'

test('all who ask at once share one reading of the table', async () => {
  const statements: object[] = []
  const db = createFakeDatabase((statement) => {
    statements.push(statement)
    return []
  })
  const found = await Promise.all(Array.from({ length: 20 }, () => listLiveSolvers(db)))
  expect(statements).toHaveLength(1)
  expect(new Set(found).size, 'what was rendered from it is shared too').toBe(1)
})
