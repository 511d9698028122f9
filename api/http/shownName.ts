/** Stands for what a caller sent and an answer had better not repeat. */
export const NOT_SHOWN = '(not shown)'

/** A short plain word. Whatever else a caller put in a name's place could be a secret, sent there by mistake. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,23}$/

/** A name that a caller sent, as an answer may repeat it. */
export function shownName(name: PropertyKey): string {
  return typeof name === 'number' || PLAIN_NAME.test(String(name)) ? String(name) : NOT_SHOWN
}
