import { expect, test } from 'vitest'
import { progressOf } from '../../../services/indexer/follow/watchPonder.ts'

const metrics = (total: number, cached: number, completed: number) => `
# TYPE ponder_historical_total_indexing_seconds gauge
ponder_historical_total_indexing_seconds{chain="base_sepolia"} ${total}
ponder_historical_cached_indexing_seconds{chain="base_sepolia"} ${cached}
ponder_historical_completed_indexing_seconds{chain="base_sepolia"} ${completed}
`

test('progress is the share of the history that was cached or is indexed', () => {
  expect(progressOf(metrics(1_000, 100, 150))).toBe(0.25)
  expect(progressOf(metrics(1_000, 600, 500))).toBe(1)
  expect(progressOf(metrics(0, 0, 0))).toBe(1)
})

test('there is no progress before Ponder reports any', () => {
  expect(progressOf('')).toBeNull()
  expect(progressOf('ponder_historical_total_indexing_seconds{chain="a"} 5')).toBeNull()
})
