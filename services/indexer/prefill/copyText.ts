import type { CacheRow } from './ponderInternals.ts'

const special = /[\\\n\r\t]/
const specials = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * A value in PostgreSQL's COPY text format. The values come from RPC providers, so nothing is taken for
 * granted: without the escapes, a provider could smuggle in rows of its own.
 */
export function copyText(value: CacheRow[string]): string {
  if (value === null) return '\\N'
  const text = String(value)
  return special.test(text) ? text.replace(specials, (found) => escapes[found] as string) : text
}

/** Column of a cache table for a name as Ponder's code writes it: `baseFeePerGas` is `base_fee_per_gas`. */
export function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Rows as COPY text, in pieces of about 256 KiB. */
export function* copyPieces(
  rows: Iterable<CacheRow>,
  properties: readonly string[],
): Generator<string> {
  let piece = ''
  for (const row of rows) {
    let separator = ''
    for (const property of properties) {
      piece += separator + copyText(row[property] as CacheRow[string])
      separator = '\t'
    }
    piece += '\n'
    if (piece.length > 262_144) {
      yield piece
      piece = ''
    }
  }
  if (piece !== '') yield piece
}
