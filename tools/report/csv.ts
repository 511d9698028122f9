/** What a spreadsheet reads as a formula: also after blanks, and in full-width characters. */
const FORMULA = /^[\s\p{Cc}]*[=+\-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}]/u

/** Where a spreadsheet may start a new cell inside quotes: in many locales, semicolons separate cells. */
const CELL_WITHIN = /(;)(?=[\s\p{Cc}"']*[=+\-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}])/gu

/** A cell's value; null for an empty cell. */
export type Cell = string | number | bigint | null

/** Lines of a CSV file (RFC 4180) with a header, safe to open in a spreadsheet. */
export function* csvLines<Column extends string>(
  columns: readonly Column[],
  rows: Iterable<Readonly<Record<Column, Cell>>>,
): Generator<string> {
  yield `${columns.join(',')}\r\n`
  for (const row of rows) yield `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`
}

/**
 * One cell. Text that a spreadsheet would run as a formula gets a leading apostrophe, because a token's contract can choose
 * any symbol. The report's numbers are never negative.
 */
export function csvCell(value: Cell): string {
  if (value === null) return ''
  const text = String(value)
  const escaped = text.replaceAll(CELL_WITHIN, "$1'")
  const plain = FORMULA.test(text) || /^[\t\r\n]/.test(text) ? `'${escaped}` : escaped
  return /[",'\r\n\t]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
