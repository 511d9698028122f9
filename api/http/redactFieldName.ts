/** Stands for input that a response must not repeat. */
export const REDACTED = '(not shown)'

/** A short plain word. Anything else could be a secret that was sent as a name by mistake. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,23}$/

/** A field name that the caller sent, as a response may repeat it. */
export function redactFieldName(name: PropertyKey): string {
  return typeof name === 'number' || PLAIN_NAME.test(String(name)) ? String(name) : REDACTED
}
