/** Longer than nodes' real messages. In much longer text, patterns of words far apart take quadratic time: hours for megabytes. */
const MOST_CHARACTERS = 2_000

/** The beginning of a node's error message; empty if it isn't text. A node may send anything, of any length. */
export function readNodesWords(message: unknown): string {
  return typeof message === 'string' ? message.slice(0, MOST_CHARACTERS) : ''
}
