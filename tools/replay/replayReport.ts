import { computeStateHash } from '../../core/rows/stateHash.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { TABLE_NAMES, TABLES } from '../../src/table/tableShapes.ts'
import { describeNodes } from '../describeNodes.ts'
import { formatIsoTimestamp } from '../formatIsoTimestamp.ts'
import { formatCount } from '../progressBar.ts'
import type { BalanceCheck } from './checkBalances.ts'
import type { Comparison } from './compareReplay.ts'
import type { RowDifference } from './compareRows.ts'
import type { Replay } from './replayChain.ts'
import type { StatusCounts } from './tallyStatuses.ts'

/** The report of one chain's replay. */
export type ChainReport = ReturnType<typeof composeChainReport> & {
  /** Intents by status, each chain at its own last block. */
  statuses: StatusCounts
}

/** The checks' results; balances are null when no node has the state of an earlier block any more. */
type Checks = {
  balances: BalanceCheck[] | null
  comparison: Comparison | null
  /** What the logs lack, by the bridge's own state. */
  omissions: string[]
}

/** A chain's report without the statuses, which need all chains. */
export function composeChainReport(replay: Replay, { balances, comparison, omissions }: Checks) {
  const { chain, nodes, store, block, events, totalMs, foldMs } = replay
  const tables = TABLE_NAMES.map((table) => [table, store.rows(table)] as const)
  return {
    chain: chain.name,
    chainId: chain.chainId,
    bridge: chain.bridge,
    /** Null where the chain has none. */
    vault: chain.vault ?? null,
    block,
    /** Which nodes were read, and what was believed of them. */
    nodes: nodes.report(),
    /** keccak256 over all rows; equal for equal histories. */
    stateHash: computeStateHash(Object.fromEntries(tables)),
    events,
    eventsPerSecond: { overall: rate(events, totalMs), fold: rate(events, foldMs) },
    /** Rows by table. */
    rows: Object.fromEntries(tables.map(([table, rows]) => [TABLES[table].sqlName, rows.length])),
    omissions,
    balances,
    comparison,
  }
}

/** Whether no check found a fault. */
export function isSound(report: ChainReport): boolean {
  return findFaults(report).length === 0
}

/** The verdict on all chains, in one line. */
export function describeVerdict(reports: readonly ChainReport[]): string {
  const events = reports.reduce((sum, report) => sum + report.events, 0)
  const folded = `${formatCount(events)} events of ${reports.map(({ chain }) => chain).join(' and ')} folded`
  const faults = reports.flatMap(findFaults)
  if (faults.length > 0) return `Verdict: NOT SOUND. ${folded}; ${faults.join('; ')}.`
  const unchecked = reports.filter(({ balances }) => balances === null).map(({ chain }) => chain)
  const isWhole = unchecked.length === 0
  const money = isWhole
    ? 'every bridge and vault holds what it owes'
    : `balances not checked on ${unchecked.join(' and ')}`
  return `Verdict: ${isWhole ? 'sound' : 'sound as far as checked'}. ${folded}; ${money}; ${describeRows(reports)}.`
}

function describeRows(reports: readonly ChainReport[]): string {
  if (reports.some(({ comparison }) => comparison === null))
    return 'not compared with a database (use --compare)'
  const rows = reports.reduce((sum, { comparison }) => sum + (comparison?.rows ?? 0), 0)
  return `all ${formatCount(rows)} rows of the database match`
}

function findFaults({
  chain,
  omissions,
  balances,
  comparison,
  stateHash: own,
}: ChainReport): string[] {
  const short = balances?.filter(isShort) ?? []
  const { differences = 0, keptHash = null } = comparison ?? {}
  return [
    ...omissions,
    ...short.map((check) => {
      const whose = check.holder === 'bridge' ? chain : `the vault of ${chain}`
      return `${whose} is short of ${-check.surplus} of ${check.token}`
    }),
    ...(differences > 0 ? [`${formatCount(differences)} rows of ${chain} differ`] : []),
    ...(keptHash !== null && keptHash !== own ? [`the state hash of ${chain} differs`] : []),
  ]
}

/** A chain's report, for a terminal. */
export function describeReport(report: ChainReport): string {
  const { chain, block, events, eventsPerSecond, rows, balances, comparison } = report
  return [
    `${chain}  block ${formatCount(block.number)}  ${block.hash}  ${formatIsoTimestamp(block.timestamp)}`,
    `  ${formatCount(events)} events, ${formatCount(eventsPerSecond.overall)}/s with fetching, ${formatCount(eventsPerSecond.fold)}/s in the fold`,
    `  rows: ${listCounts(rows)}`,
    `  intents: ${listCounts(report.statuses)}`,
    `  state hash ${report.stateHash}`,
    ...(balances?.map(describeBalance) ?? [
      '  balances: the node no longer has the state of this block: use one that keeps it',
    ]),
    ...(comparison ? describeComparison(comparison, report.stateHash) : []),
    ...describeNodes(report.nodes, 'the state hash of a replay'),
  ].join('\n')
}

function listCounts(numbers: Record<string, number>): string {
  const filled = Object.entries(numbers).filter(([, number]) => number > 0)
  return filled.map(([name, number]) => `${name} ${formatCount(number)}`).join(', ') || 'none'
}

function describeComparison(
  { rows, differences, first, keptHash }: Comparison,
  own: Hex,
): string[] {
  const verdict = differences === 0 ? 'all equal' : `${formatCount(differences)} DIFFERENT`
  const omitted = differences - first.length
  return [
    `  database: ${formatCount(rows)} rows compared, ${verdict}`,
    ...first.flatMap(describeDifference),
    ...(omitted > 0 ? [`    … and ${formatCount(omitted)} more`] : []),
    ...(keptHash === null || keptHash === own
      ? []
      : [`  its state hash is DIFFERENT: ${keptHash}`]),
  ]
}

function describeDifference({ table, key, kind, columns }: RowDifference): string[] {
  const named = Object.entries(key).map(([column, value]) => `${column} ${value}`)
  const where = {
    missing: 'not in the database',
    unexpected: 'only in the database',
    different: '',
  }
  return [
    `    ${table} (${named.join(', ')}) ${where[kind]}`.trimEnd(),
    ...columns.map(
      ({ column, database, replay }) => `      ${column}: database ${database}, replay ${replay}`,
    ),
  ]
}

function describeBalance(check: BalanceCheck): string {
  const { holder, token, owed, held, surplus } = check
  const what = `  ${holder === 'vault' ? "vault's " : ''}balance of ${token}: held ${held}, owed ${owed}`
  if (isShort(check)) return `${what}: SHORT of ${-surplus}`
  return surplus > 0n ? `${what}, surplus ${surplus} (sent to the ${holder} unasked)` : what
}

function isShort({ surplus }: BalanceCheck): boolean {
  return surplus < 0n
}

function rate(events: number, ms: number): number {
  return ms === 0 ? 0 : Math.round((events * 1000) / ms)
}
