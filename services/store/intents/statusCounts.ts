import { type Aged, StaleWhileRevalidate } from '../cache/staleWhileRevalidate.ts'
import type { ChainHeads } from '../chains/chainHeads.ts'
import type { Db } from '../database/database.ts'
import { countStatuses, type StatusCounts } from './countStatuses.ts'

/** Milliseconds after which the counts are read again, and for which they are given meanwhile. */
const LIFE = { freshFor: 15_000, keptFor: 120_000 }

const READINGS = new WeakMap<Db, StaleWhileRevalidate<StatusCounts>>()

/** `countStatuses`, a few seconds old: what was delivered and never settled piles up and has to be counted. */
export function statusCounts(db: Db, heads: ChainHeads): Promise<Aged<StatusCounts>> {
  const known = READINGS.get(db) ?? new StaleWhileRevalidate<StatusCounts>(LIFE)
  READINGS.set(db, known)
  return known.get(() => countStatuses(db, heads))
}
