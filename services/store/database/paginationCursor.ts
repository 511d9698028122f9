import { createHash } from 'node:crypto'

/** A cursor of another list or order, or none at all. */
export class CursorError extends Error {
  override name = 'CursorError'
  constructor() {
    super(
      'the cursor does not belong to this list in this order: use the previous page’s, or none to start over',
    )
  }
}

/** Types of a cursor's values. */
type CursorKind = 'integer' | 'numeric' | 'hex'
type CursorValue = bigint | number | string

const CHECKSUM_BYTES = 6

const PATTERNS: Record<CursorKind, RegExp> = {
  // Fits a bigint column and a JS number alike.
  integer: /^-?\d{1,15}$/,
  numeric: /^-?\d{1,78}$/,
  hex: /^0x[0-9a-f]{1,64}$/,
}

/**
 * A row's position in a list as opaque text. `list` names the list and its order, so that a cursor of another one is refused.
 * The checksum detects damage; forgery is harmless, since a cursor only names a position, and anyone may read from any.
 */
export function encodeCursor(list: string, values: readonly CursorValue[]): string {
  const text = values.join(' ')
  return Buffer.concat([checksumOf(list, text), Buffer.from(text)]).toString('base64url')
}

/**
 * Decodes a cursor of this list to its values as text, one for each kind.
 *
 * @throws CursorError for anything that `encodeCursor` didn't write for this list
 */
export function decodeCursor(list: string, kinds: readonly CursorKind[], cursor: string): string[] {
  const bytes = Buffer.from(cursor.length <= 512 ? cursor : '', 'base64url')
  const text = bytes.subarray(CHECKSUM_BYTES).toString('latin1')
  const values = text.split(' ')
  const isValid =
    bytes.toString('base64url') === cursor &&
    bytes.subarray(0, CHECKSUM_BYTES).equals(checksumOf(list, text)) &&
    values.length === kinds.length &&
    kinds.every((kind, index) => PATTERNS[kind].test(values[index] as string))
  if (!isValid) throw new CursorError()
  return values
}

function checksumOf(list: string, text: string): Buffer {
  return createHash('sha256').update(`${list}\n${text}`).digest().subarray(0, CHECKSUM_BYTES)
}
