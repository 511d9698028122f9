/** Replaces input that an answer should not repeat. */
export const NOT_SHOWN = '(not shown)'

/** A short plain word. Anything else in a name's place could be a secret, sent by mistake. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,23}$/

/** A caller's name in the form that an answer may repeat. */
export function repeatableName(name: PropertyKey): string {
  return typeof name === 'number' || PLAIN_NAME.test(String(name)) ? String(name) : NOT_SHOWN
}
