import { readFileSync } from 'node:fs'

/**
 * Reads a JSON file and adds its problem to `problems`, worded for the operator.
 *
 * @param setting name of the variable that holds the path
 * @returns undefined with a problem
 */
export function parseJsonFile(setting: string, path: string, problems: string[]): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    problems.push(`${setting} (${path}): can't be read: ${reason}`)
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    // Not the parser's message, which quotes the text around the error, possibly a key.
    problems.push(`${setting} (${path}): not JSON: ${placeOf(text, faultIn(text))}`)
    return undefined
  }
}

/** Where a text stops being JSON: the end of its longest prefix that more text could complete. */
function faultIn(text: string): number {
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (mayGoOn(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

/** Whether a text is JSON or a prefix of it. */
function mayGoOn(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as SyntaxError
    if (/^(Unexpected end|Unterminated string)/.test(message)) return true
    return Number(/at position (\d+)/.exec(message)?.[1] ?? -1) >= text.length
  }
}

function placeOf(text: string, offset: number): string {
  if (offset >= text.length) return 'it ends too early'
  const lines = text.slice(0, offset).split('\n')
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`
}
