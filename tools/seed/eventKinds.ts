import { SEED_SCHEMA } from './seedSqlFunctions.ts'

/** Kinds of events, in their order within a block; each intent has at most one of each. */
export const KIND = {
  created: 0,
  anchored: 1,
  bid: 2, // and 3, 4
  deposited: 5,
  settled: 6,
  cancelled: 7,
  refunded: 8,
  forfeited: 9,
  funded: 10,
  fired: 11,
  closed: 12,
  solved: 15,
} as const

/** A transaction's hash, in SQL. `chain` is the intent's source chain. */
export function hashSql(chain: number, kind: number | string): string {
  return `${SEED_SCHEMA}.hash(${chain}, n, ${kind})`
}
