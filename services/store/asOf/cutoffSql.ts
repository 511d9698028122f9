import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'

/** Columns with the chain, block and time of a row's event. */
const POSITION_COLUMNS = {
  event: { chain: 'chain_id', block: 'block_number', time: 'block_timestamp' },
  intent: { chain: 'source_chain_id', block: 'created_block', time: 'created_at' },
  bid: { chain: 'source_chain_id', block: 'block_number', time: 'bid_at' },
  delivery: { chain: 'dest_chain_id', block: 'solved_block', time: 'solved_at' },
  tranche: { chain: 'chain_id', block: 'block_number', time: 'fired_at' },
} as const

/** Prefix that keeps a statement from being prepared: with cutoffs in its text it hardly ever repeats. */
export const UNPREPARED = '/* as of */ '

/**
 * Whether a row of a table counts, as a boolean SQL expression; true without cutoffs. Cutoffs are computed numbers, never
 * user input.
 */
export function withinSql(
  table: keyof typeof POSITION_COLUMNS,
  alias: string,
  cutoffs: Cutoffs | undefined,
): string {
  if (cutoffs === undefined) return 'true'
  const { chain, block, time } = POSITION_COLUMNS[table]
  const cases = [...cutoffs].map(([chainId, { blockNumber, timestamp }]) => {
    const bound =
      blockNumber === null
        ? `${alias}.${time} <= ${BigInt(timestamp)}`
        : `${alias}.${block} <= ${BigInt(blockNumber)}`
    return `when ${BigInt(chainId)} then ${bound}`
  })
  return cases.length === 0 ? 'false' : `(case ${alias}.${chain} ${cases.join(' ')} else false end)`
}
