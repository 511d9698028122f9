import { queryError } from '../errors/queryError.ts'

/** Kinds of a cursor's values: what a column of the keyset can hold. */
type Kind = 'integer' | 'numeric' | 'hex'
export type CursorValue = bigint | number | string

const PATTERNS: Record<Kind, RegExp> = {
  // Fits a bigint column and a JS number alike.
  integer: /^-?\d{1,15}$/,
  numeric: /^-?\d{1,78}$/,
  hex: /^0x[0-9a-f]{1,64}$/,
}

/**
 * A row's place in a list, as opaque text. `list` names the list and its order, so that a cursor of
 * another one is refused instead of pointing somewhere.
 */
export function encodeCursor(list: string, values: readonly CursorValue[]): string {
  return Buffer.from([list, ...values].join(' ')).toString('base64url')
}

/**
 * The values in a cursor of this list, one for each kind.
 * Throws INVALID_CURSOR for anything that `encodeCursor` didn't write for it.
 */
export function decodeCursor(list: string, kinds: readonly Kind[], text: string): string[] {
  const [name, ...values] = Buffer.from(text, 'base64url').toString('latin1').split(' ')
  const fits =
    text.length <= 512 &&
    name === list &&
    values.length === kinds.length &&
    kinds.every((kind, index) => PATTERNS[kind].test(values[index] as string))
  if (!fits) {
    throw queryError('INVALID_CURSOR', 'the cursor is not one of this list in this order')
  }
  return values
}
