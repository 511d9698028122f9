import { hash } from 'node:crypto'
import { formatIsoTimestamp } from '../formatIsoTimestamp.ts'
import type { IntentChange } from './findIntentChanges.ts'
import { describeColumns, describeEvents } from './intentChangesCsv.ts'
import type { IntentLine } from './intentsCsv.ts'
import { PAGE_STYLE } from './pageStyle.ts'
import type { Book, Moment } from './replayPeriod.ts'
import type { StatementLine } from './statementsCsv.ts'

/** What the page shows. */
type PageContent = {
  books: readonly Book[]
  /** The lines of each statement. */
  statements: readonly (readonly StatementLine[])[]
  intents: readonly IntentLine[]
  changes: readonly IntentChange[]
  faults: readonly string[]
  unchecked: readonly string[]
}

/** Rows per table; the CSV files have all rows. */
const MAX_ROWS = 2_000

/** `report.html`: the report for people, in one file without scripts or external resources. */
export function* renderPage(content: PageContent): Generator<string> {
  const digest = hash('sha256', PAGE_STYLE, 'base64')
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${digest}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn report</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>Cairn report</h1>
`
  yield renderVerdict(content)
  yield* renderPeriods(content.books)
  yield '<h2>Statements</h2>\n'
  for (const lines of content.statements) yield* renderStatement(lines)
  yield* renderIntents(content.intents)
  yield* renderChanges(content.changes)
  yield '</main>\n</body>\n</html>\n'
}

function renderVerdict({ faults, unchecked }: PageContent): string {
  if (faults.length > 0) {
    const lines = faults.map((fault) => `<p class="bad">${escapeHtml(fault)}</p>`)
    return `${lines.join('\n')}\n`
  }
  if (unchecked.length > 0) {
    return `<p class="bad">No node had the past balances on ${escapeHtml(unchecked.join(' and '))}: these statements aren’t checked.</p>\n`
  }
  return '<p class="good">Every statement closes at the contract’s balance.</p>\n'
}

function* renderPeriods(books: readonly Book[]): Generator<string> {
  yield '<p class="quiet">Made from the chains’ history alone. manifest.json has this page’s checksum. Reporting the same blocks again gives the same files.</p>\n'
  const ends = books.flatMap(({ chain, opening, closing }) => [
    [chain.name, 'after', ...composeMomentCells(opening)],
    [chain.name, 'up to', ...composeMomentCells(closing)],
  ])
  const columns = ['Chain', '', 'Block', 'Time', 'Block hash', 'State hash']
  yield* renderTable('The period', columns, ends, { wrapped: [4, 5] })
}

function composeMomentCells(moment: Moment | null): string[] {
  if (!moment) return ['the start', '', '', '']
  const { block, stateHash } = moment
  return [String(block.number), formatIsoTimestamp(block.timestamp), block.hash, stateHash]
}

function* renderStatement(lines: readonly StatementLine[]): Generator<string> {
  const [first] = lines
  if (!first) return
  const title = `${first.symbol ?? 'Token'} in the ${first.holder} ${first.address} of ${first.chain}, token ${first.token}`
  const isWhole = lines.every(
    ({ balance, balance_base }) => (balance === null) === (balance_base === null),
  )
  const rows = lines.map((line) => [
    String(line.entry),
    text(line.count),
    text(isWhole ? line.in : line.in_base),
    text(isWhole ? line.out : line.out_base),
    text(isWhole ? line.balance : line.balance_base),
  ])
  yield* renderTable(title, ['Entry', 'Events', 'In', 'Out', 'Balance'], rows, {
    numeric: [1, 2, 3, 4],
    strong: (row) => SUMS.has(row[0] ?? ''),
  })
}

const SUMS: ReadonlySet<string> = new Set(['opening', 'closing', 'held', 'surplus', 'missing'])

function* renderIntents(lines: readonly IntentLine[]): Generator<string> {
  yield '<h2>Intents</h2>\n'
  const shown = lines.slice(0, MAX_ROWS)
  const rows = shown.map((line) => [
    ...[text(line.date), text(line.chain), text(line.intent), text(line.symbol ?? line.token)],
    ...(['amount', 'fee', 'payout', 'refund'] as const).map((name) =>
      text(line.symbol === null ? line[`${name}_base`] : line[name]),
    ),
    ...[text(line.transaction), text(line.status)],
  ])
  const columns = ['Date', 'Chain', 'Intent', 'Symbol', 'Amount', 'Fee', 'Payout', 'Refund']
  yield* renderTable(
    `${formatIntentCount(lines)} with money in escrow in the period${describeOmitted(lines)}`,
    [...columns, 'Transaction', 'Status'],
    rows,
    { numeric: [4, 5, 6, 7], wrapped: [8] },
  )
}

function* renderChanges(all: readonly IntentChange[]): Generator<string> {
  yield '<h2>Changes</h2>\n'
  const rows = all
    .slice(0, MAX_ROWS)
    .map((change) => [
      ...[change.chain, change.intentId, change.statusBefore ?? '–', change.status],
      ...[describeEvents(change), describeColumns(change)],
    ])
  yield* renderTable(
    `${formatIntentCount(all)} changed${describeOmitted(all)}`,
    ['Chain', 'Intent', 'Was', 'Is', 'Events', 'Columns'],
    rows,
    { wrapped: [4, 5] },
  )
}

type TableStyle = {
  numeric?: readonly number[]
  wrapped?: readonly number[]
  strong?: (row: readonly string[]) => boolean
}

function* renderTable(
  caption: string,
  columns: readonly string[],
  rows: Iterable<readonly string[]>,
  { numeric = [], wrapped = [], strong = () => false }: TableStyle = {},
): Generator<string> {
  const kind = (at: number) => {
    if (numeric.includes(at)) return ' class="n"'
    return wrapped.includes(at) ? ' class="wrap"' : ''
  }
  const heads = columns.map((name, at) =>
    name === '' ? '<td></td>' : `<th scope="col"${kind(at)}>${escapeHtml(name)}</th>`,
  )
  yield `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
`
  for (const row of rows) {
    const cells = row.map((cell, at) => `<td${kind(at)}>${escapeHtml(cell)}</td>`)
    yield `<tr${strong(row) ? ' class="sum"' : ''}>${cells.join('')}</tr>\n`
  }
  yield '</tbody>\n</table></div>\n'
}

function formatIntentCount(rows: readonly unknown[]): string {
  return `${rows.length.toLocaleString('en-US')} intent${rows.length === 1 ? '' : 's'}`
}

function describeOmitted(rows: readonly unknown[]): string {
  return rows.length > MAX_ROWS
    ? `, the first ${MAX_ROWS.toLocaleString('en-US')} here, all in the CSV file`
    : ''
}

function text(value: unknown): string {
  return value === null ? '' : String(value)
}

/** Escapes text for HTML: names come from token contracts. */
function escapeHtml(value: string): string {
  const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return value.replaceAll(/[&<>"']/g, (character) => named[character as keyof typeof named])
}
