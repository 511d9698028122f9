import { createHash } from 'node:crypto'

/** A cursor of another list or order. */
export class CursorError extends Error {
  override name = 'CursorError'
}

/** Kinds of a cursor's values: what a column of a keyset can hold. */
type CursorKind = 'integer' | 'numeric' | 'hex'
type CursorValue = bigint | number | string

const CHECK_BYTES = 6

const PATTERNS: Record<CursorKind, RegExp> = {
  // Fits a bigint column and a JS number alike.
  integer: /^-?\d{1,15}$/,
  numeric: /^-?\d{1,78}$/,
  hex: /^0x[0-9a-f]{1,64}$/,
}

/**
 * A row's place in a list as opaque text. `list` names the list and its order, so that a cursor of
 * another one is refused instead of pointing anywhere. The check finds damage; a forged cursor could
 * only name a place, which anybody may read from.
 */
export function encodeCursor(list: string, values: readonly CursorValue[]): string {
  const text = values.join(' ')
  return Buffer.concat([checkOf(list, text), Buffer.from(text)]).toString('base64url')
}

/**
 * The values in a cursor of this list, one for each kind, as text.
 *
 * @throws CursorError for anything that `encodeCursor` didn't write for this list
 */
export function decodeCursor(list: string, kinds: readonly CursorKind[], cursor: string): string[] {
  const bytes = Buffer.from(cursor.length <= 512 ? cursor : '', 'base64url')
  const text = bytes.subarray(CHECK_BYTES).toString('latin1')
  const values = text.split(' ')
  const genuine =
    bytes.toString('base64url') === cursor &&
    bytes.subarray(0, CHECK_BYTES).equals(checkOf(list, text)) &&
    values.length === kinds.length &&
    kinds.every((kind, index) => PATTERNS[kind].test(values[index] as string))
  if (!genuine) throw new CursorError('the cursor is not one of this list in this order')
  return values
}

function checkOf(list: string, text: string): Buffer {
  return createHash('sha256').update(`${list}\n${text}`).digest().subarray(0, CHECK_BYTES)
}
