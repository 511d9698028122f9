const special = /[\\\n\r\t]/
const specials = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * A text in PostgreSQL's COPY format. The values come from RPC providers, so nothing is taken for
 * granted: without the escapes, a provider could smuggle in rows of its own.
 */
export function escapeForCopy(text: string): string {
  return special.test(text) ? text.replace(specials, (found) => escapes[found] as string) : text
}
