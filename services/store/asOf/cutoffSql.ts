import type { Cutoffs } from '../../../core/intent/cutoff.ts'

/** Columns (trusted SQL) that say on which chain, in which block and when something was logged. */
export type Placed = { chain: string; block: string; time: string }

/**
 * Begins a statement with horizons written into it: it is hardly ever asked twice, so it isn't worth one of
 * the names under which a connection prepares what comes often (only plain reads are).
 */
export const ASKED_ONCE = '/* as of */ '

/** `isWithin` as a boolean SQL expression. Horizons are numbers of ours, never anybody's input. */
export function withinSql({ chain, block, time }: Placed, horizons: Cutoffs): string {
  const cases = [...horizons].map(([chainId, { blockNumber, timestamp }]) => {
    const bound =
      blockNumber === null
        ? `${time} <= ${BigInt(timestamp)}`
        : `${block} <= ${BigInt(blockNumber)}`
    return `when ${BigInt(chainId)} then ${bound}`
  })
  return cases.length === 0 ? 'false' : `(case ${chain} ${cases.join(' ')} else false end)`
}

/** The clock of a chain at its horizon, in unix seconds, as an SQL expression; null for a chain without one. */
export function clockAtSql(chain: string, horizons: Cutoffs): string {
  if (horizons.size === 0) return 'null::bigint'
  const cases = [...horizons].map(
    ([chainId, { timestamp }]) => `when ${BigInt(chainId)} then ${BigInt(timestamp)}`,
  )
  return `(case ${chain} ${cases.join(' ')} end)`
}
