import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'

/** Columns (trusted SQL) that say on which chain, in which block and when something was logged. */
type Placed = { chain: string; block: string; time: string }

/**
 * Begins a statement with cutoffs written into it: it is hardly ever asked twice, so it isn't worth one of
 * the names under which a connection prepares what comes often (only plain reads are).
 */
export const ASKED_ONCE = '/* as of */ '

/** `isWithin` as a boolean SQL expression. Horizons are numbers that we computed, never a caller's input. */
export function withinSql({ chain, block, time }: Placed, cutoffs: Cutoffs): string {
  const cases = [...cutoffs].map(([chainId, { blockNumber, timestamp }]) => {
    const bound =
      blockNumber === null
        ? `${time} <= ${BigInt(timestamp)}`
        : `${block} <= ${BigInt(blockNumber)}`
    return `when ${BigInt(chainId)} then ${bound}`
  })
  return cases.length === 0 ? 'false' : `(case ${chain} ${cases.join(' ')} else false end)`
}

/** The clock of a chain at its cutoff, in unix seconds, as an SQL expression; null for a chain without one. */
export function clockAtSql(chain: string, cutoffs: Cutoffs): string {
  if (cutoffs.size === 0) return 'null::bigint'
  const cases = [...cutoffs].map(
    ([chainId, { timestamp }]) => `when ${BigInt(chainId)} then ${BigInt(timestamp)}`,
  )
  return `(case ${chain} ${cases.join(' ')} end)`
}
