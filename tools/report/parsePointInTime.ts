import { type BlockByChain, parseBlocks, ToolError } from '../commandLine.ts'

/** A point in time from the command line: an instant, or blocks. */
export type Point =
  | { kind: 'time' /** Unix seconds. */; seconds: number; isDay: boolean }
  | ({ kind: 'blocks' } & BlockByChain)

const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?Z$/

/**
 * Parses `--from` or `--to`: one date or time, or blocks. Null if absent.
 *
 * @throws ToolError
 */
export function parsePointInTime(option: string, texts: readonly string[]): Point | null {
  const [first] = texts
  if (first === undefined) return null
  if (texts.length === 1 && (DAY.test(first) || TIME.test(first))) return parseTime(option, first)
  const complaint = "isn't a date (2026-09-01), time (2026-09-01T12:00:00Z), block or name=block"
  return { kind: 'blocks', ...parseBlocks(option, texts, complaint) }
}

function parseTime(option: string, text: string): Point {
  const isDay = DAY.test(text)
  const date = new Date(isDay ? `${text}T00:00:00Z` : text)
  // JavaScript turns 30 February into 1 March.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text.slice(0, 10))) {
    throw new ToolError(`${option}: ${text} doesn't exist`)
  }
  return { kind: 'time', seconds: date.getTime() / 1000, isDay }
}
