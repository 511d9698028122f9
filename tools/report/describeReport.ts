import { describeNodes } from '../describeNodes.ts'
import { formatIsoTimestamp } from '../formatIsoTimestamp.ts'
import { sumOwed } from '../replay/checkBalances.ts'
import type { Report } from './buildAccountingReport.ts'
import { formatAmount } from './formatAmount.ts'
import { describeColumns, describeEvents } from './intentChangesCsv.ts'
import type { Book } from './replayPeriod.ts'

/** The report's summary, for a terminal. */
export function describeReport({ books, records, names, ...checks }: Report): string {
  const statements = books.flatMap(({ chain, statements: all }) =>
    all.map(({ holder, token, opening, closing, held }) => {
      const name = names.find(chain.chainId, token)
      const amount = (base: bigint) => formatAmount(base, name) ?? `${base} (base units)`
      const what = `  ${chain.name} ${holder} ${name?.symbol ?? token}: opening ${amount(sumOwed(opening))}, closing ${amount(sumOwed(closing))}`
      return `${what}, held ${held === null ? 'unknown' : amount(held)}`
    }),
  )
  const ends = books.map(describePeriod)
  const read = books.flatMap(({ chain, nodes }) =>
    describeNodes(nodes, 'the manifest of a report').map(
      (line) => `  ${chain.name} ${line.trim()}`,
    ),
  )
  return [
    ...ends,
    ...read,
    `  ${records.length} intents`,
    ...statements,
    describeVerdict(checks),
  ].join('\n')
}

/** The changes, for a terminal. */
export function describeChanges({ books, changes }: Report): string {
  const rows = books.map(({ chain, rows: counts }) => {
    const changed = Object.entries(counts).filter(
      ([, { added, changed: some }]) => added + some > 0,
    )
    const listed = changed.map(([table, { added, changed: some }]) => `${table} +${added} ~${some}`)
    return `  rows of ${chain.name}, added and changed: ${listed.join(', ') || 'none'}`
  })
  const lines = changes.map((change) => {
    const words = [describeEvents(change), describeColumns(change)].filter((text) => text !== '')
    const from = change.statusBefore ?? 'none'
    return `  ${change.intentId} of ${change.chain}: ${from} → ${change.status}${words.map((text) => `; ${text}`).join('')}`
  })
  const count = `${changes.length} intents changed`
  return [...books.map(describePeriod), ...rows, count, ...lines].join('\n')
}

function describePeriod({ chain, opening, closing }: Book): string {
  const first = opening
    ? `after block ${opening.block.number} (${formatIsoTimestamp(opening.block.timestamp)})`
    : 'from the start'
  const { number, timestamp } = closing.block
  return `${chain.name} ${first} up to block ${number} (${formatIsoTimestamp(timestamp)})`
}

function describeVerdict({ faults, unchecked }: Pick<Report, 'faults' | 'unchecked'>): string {
  if (faults.length > 0) return `DOES NOT BALANCE: ${faults.join('; ')}.`
  if (unchecked.length === 0) return "Every statement closes at the contract's balance."
  return `Not checked: no node has the past balances on ${unchecked.join(' and ')}. Use an archive node.`
}
