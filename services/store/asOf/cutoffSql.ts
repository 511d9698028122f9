import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'

/** Columns that say on which chain, in which block and when something was logged. */
const PLACED = {
  event: { chain: 'chain_id', block: 'block_number', time: 'block_timestamp' },
  intent: { chain: 'source_chain_id', block: 'created_block', time: 'created_at' },
  bid: { chain: 'source_chain_id', block: 'block_number', time: 'bid_at' },
  delivery: { chain: 'dest_chain_id', block: 'solved_block', time: 'solved_at' },
  tranche: { chain: 'chain_id', block: 'block_number', time: 'fired_at' },
} as const

/**
 * Begins a statement with cutoffs written into it: it is hardly ever asked twice, so it isn't worth one of
 * the names under which a connection prepares what comes often (only plain reads are).
 */
export const ASKED_ONCE = '/* as of */ '

/**
 * `isWithin` as a boolean SQL expression on a row of a table; without cutoffs everything counts. Cutoffs are
 * numbers that we computed, never a caller's input.
 */
export function withinSql(
  table: keyof typeof PLACED,
  alias: string,
  cutoffs: Cutoffs | undefined,
): string {
  if (cutoffs === undefined) return 'true'
  const { chain, block, time } = PLACED[table]
  const cases = [...cutoffs].map(([chainId, { blockNumber, timestamp }]) => {
    const bound =
      blockNumber === null
        ? `${alias}.${time} <= ${BigInt(timestamp)}`
        : `${alias}.${block} <= ${BigInt(blockNumber)}`
    return `when ${BigInt(chainId)} then ${bound}`
  })
  return cases.length === 0 ? 'false' : `(case ${alias}.${chain} ${cases.join(' ')} else false end)`
}
