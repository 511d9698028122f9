/** A line of the journal. */
export type JournalLine = {
  id: string
  type: string
  /** Type of the event, plus the missed deadline where an intent or order can miss several. */
  key: string | null
  stands: boolean
  /** The intent, prefixed with its source chain. */
  source: string
  intent: string | null
  order: string | null
}

/** Problems in a journal of chains without reorgs, whose indexer may have been killed at any time. */
export function findJournalProblems(lines: readonly JournalLine[]): string[] {
  return [...reportedTwice(lines), ...takenBack(lines)]
}

/** Each fact of an intent or order must have exactly one standing line. */
function reportedTwice(lines: readonly JournalLine[]): string[] {
  const known = new Set<string>()
  return lines.flatMap(({ id, key, stands, source, intent, order }) => {
    if (!stands || key === null) return []
    const about = intent === null ? `order ${order}` : `intent ${intent}`
    const fact = `${key} of ${about} from ${source}`
    const isSecond = known.has(fact)
    known.add(fact)
    return isSecond ? [`event ${id} repeats: ${fact}`] : []
  })
}

function takenBack(lines: readonly JournalLine[]): string[] {
  return lines
    .filter(({ type, stands }) => !stands || type === 'intent.reorged')
    .map(({ id, type, intent }) => `event ${id} (${type} of intent ${intent}) is of a reorg`)
}
