import { hash } from 'node:crypto'
import { isoTimestamp } from '../verify/isoTimestamp.ts'
import { describeColumns, describeEvents } from './changesCsv.ts'
import type { IntentChange } from './intentChanges.ts'
import type { IntentLine } from './intentsCsv.ts'
import type { Book, Moment } from './keepBook.ts'
import { PAGE_STYLE } from './pageStyle.ts'
import type { StatementLine } from './statementLines.ts'

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

/** Most rows that a table shows: the CSV files have all of them. */
const MOST_ROWS = 2_000

/** `report.html`: the report for people, in one file without scripts or external resources. */
export function* page(content: PageContent): Generator<string> {
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
  yield verdict(content)
  yield* periods(content.books)
  yield '<h2>Statements</h2>\n'
  for (const lines of content.statements) yield* statement(lines)
  yield* intents(content.intents)
  yield* changes(content.changes)
  yield '</main>\n</body>\n</html>\n'
}

function verdict({ faults, unchecked }: PageContent): string {
  if (faults.length > 0) {
    const lines = faults.map((fault) => `<p class="bad">${safe(fault)}</p>`)
    return `${lines.join('\n')}\n`
  }
  if (unchecked.length > 0) {
    return `<p class="bad">No node had the past balances on ${safe(unchecked.join(' and '))}: these statements aren’t checked.</p>\n`
  }
  return '<p class="good">Every statement closes at the contract’s balance.</p>\n'
}

function* periods(books: readonly Book[]): Generator<string> {
  yield '<p class="quiet">Made from the chains’ history alone. manifest.json has this page’s checksum. Reporting the same blocks again gives the same files.</p>\n'
  const ends = books.flatMap(({ chain, opening, closing }) => [
    [chain.name, 'after', ...momentCells(opening)],
    [chain.name, 'up to', ...momentCells(closing)],
  ])
  yield* table('The period', ['Chain', '', 'Block', 'Time', 'Block hash', 'State hash'], ends, {
    wrapped: [4, 5],
  })
}

function momentCells(moment: Moment | null): string[] {
  if (!moment) return ['the start', '', '', '']
  const { block, stateHash } = moment
  return [String(block.number), isoTimestamp(block.timestamp), block.hash, stateHash]
}

function* statement(lines: readonly StatementLine[]): Generator<string> {
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
  yield* table(title, ['Entry', 'Events', 'In', 'Out', 'Balance'], rows, {
    numeric: [1, 2, 3, 4],
    strong: (row) => SUMS.has(row[0] ?? ''),
  })
}

const SUMS: ReadonlySet<string> = new Set(['opening', 'closing', 'held', 'surplus', 'missing'])

function* intents(lines: readonly IntentLine[]): Generator<string> {
  yield '<h2>Intents</h2>\n'
  const shown = lines.slice(0, MOST_ROWS)
  const rows = shown.map((line) => [
    ...[text(line.date), text(line.chain), text(line.intent), text(line.symbol ?? line.token)],
    ...(['amount', 'fee', 'payout', 'refund'] as const).map((name) =>
      text(line.symbol === null ? line[`${name}_base`] : line[name]),
    ),
    ...[text(line.transaction), text(line.status)],
  ])
  const columns = ['Date', 'Chain', 'Intent', 'Symbol', 'Amount', 'Fee', 'Payout', 'Refund']
  yield* table(
    `${countOf(lines, 'intent')} with money in escrow in the period${leftOut(lines)}`,
    [...columns, 'Transaction', 'Status'],
    rows,
    { numeric: [4, 5, 6, 7], wrapped: [8] },
  )
}

function* changes(all: readonly IntentChange[]): Generator<string> {
  yield '<h2>Changes</h2>\n'
  const rows = all
    .slice(0, MOST_ROWS)
    .map((change) => [
      ...[change.chain, change.intentId, change.statusBefore ?? '–', change.status],
      ...[describeEvents(change), describeColumns(change)],
    ])
  yield* table(
    `${countOf(all, 'intent')} changed${leftOut(all)}`,
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

function* table(
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
    name === '' ? '<td></td>' : `<th scope="col"${kind(at)}>${safe(name)}</th>`,
  )
  yield `<div class="scroll" tabindex="0" role="region" aria-label="${safe(caption)}"><table>
<caption>${safe(caption)}</caption>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
`
  for (const row of rows) {
    const cells = row.map((cell, at) => `<td${kind(at)}>${safe(cell)}</td>`)
    yield `<tr${strong(row) ? ' class="sum"' : ''}>${cells.join('')}</tr>\n`
  }
  yield '</tbody>\n</table></div>\n'
}

function countOf(rows: readonly unknown[], noun: string): string {
  return `${rows.length.toLocaleString('en-US')} ${noun}${rows.length === 1 ? '' : 's'}`
}

function leftOut(rows: readonly unknown[]): string {
  return rows.length > MOST_ROWS
    ? `, the first ${MOST_ROWS.toLocaleString('en-US')} here, all in the CSV file`
    : ''
}

function text(value: unknown): string {
  return value === null ? '' : String(value)
}

/** Escapes text for HTML: names come from token contracts. */
function safe(value: string): string {
  const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return value.replaceAll(/[&<>"']/g, (character) => named[character as keyof typeof named])
}
