import { expect, test } from 'vitest'
import { logChangeFeedProblem } from '../../../services/roles/logChangeFeedProblem.ts'

const DATABASE = 'postgres://cairn:secret@127.0.0.1:5432/cairn'

test.each([
  [
    'ECONNREFUSED',
    'DATABASE_URL: nothing listens at 127.0.0.1:5432. Is PostgreSQL running there? Until then, no changes are pushed, and reads that fail too are answered with 503',
  ],
  [
    'EHOSTUNREACH',
    "DATABASE_URL: 127.0.0.1:5432 can't be reached. Until then, no changes are pushed, and reads that fail too are answered with 503",
  ],
])('%s is logged once, in whole sentences', (code, line) => {
  const lines: unknown[] = []
  const log = logChangeFeedProblem(
    { info: () => {}, warn: (text: unknown) => lines.push(text) },
    DATABASE,
  )
  for (let attempt = 0; attempt < 3; attempt++) log(Object.assign(new Error('no'), { code }))
  expect(lines).toEqual([line])
})
