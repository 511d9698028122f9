import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toColumnName } from '../../../core/rows/columnName.ts'
import { copyChunks, copyText } from '../../../services/indexer/fold/writeRows.ts'

/** What PostgreSQL makes of a field of COPY text. */
function read(field: string): string | null {
  if (field === '\\N') return null
  return field.replace(/\\(.)/g, (_, letter: string) => {
    const named: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
    return named[letter] ?? letter
  })
}

test('a provider’s text can’t leave its field', () => {
  const hostile = fc.string({ unit: fc.constantFrom('\\', '\n', '\r', '\t', 'N', '.', 'a') })
  fc.assert(
    fc.property(fc.array(fc.tuple(hostile, hostile), { minLength: 1 }), (pairs) => {
      const rows = pairs.map(([first, second]) => ({ first, second }))
      const text = [...copyChunks(rows as never, ['first', 'second'])].join('')
      const lines = text.split('\n').slice(0, -1)
      expect(lines.map((line) => line.split('\t').map(read))).toEqual(pairs)
    }),
    { seed: 5, numRuns: 500 },
  )
})

test('numbers, bigints and null are written as COPY expects them', () => {
  expect([12, 10n ** 77n, null, '\\N'].map(copyText)).toEqual([
    '12',
    `1${'0'.repeat(77)}`,
    '\\N',
    '\\\\N',
  ])
})

test('names of columns', () => {
  expect(['baseFeePerGas', 'sha3Uncles', 'topic0', 'from'].map(toColumnName)).toEqual([
    'base_fee_per_gas',
    'sha3_uncles',
    'topic0',
    'from',
  ])
})
