/** A line of the journal. */
export type JournalLine = {
  id: string
  type: string
  /** What happened, within an intent or order: two of them may miss the same deadline. */
  key: string | null
  stands: boolean
  /** Of the intent, with its source chain. */
  source: string
  intent: string | null
  order: string | null
}

/** What is wrong with a journal of chains that have no reorgs, whatever an index does that was killed. */
export function journalProblems(lines: readonly JournalLine[]): string[] {
  return [...reportedTwice(lines), ...takenBack(lines)]
}

/** A fact of an intent or order has one line that stands. */
function reportedTwice(lines: readonly JournalLine[]): string[] {
  const known = new Set<string>()
  return lines.flatMap(({ id, key, stands, source, intent, order }) => {
    if (!stands || key === null) return []
    const about = intent === null ? `order ${order}` : `intent ${intent}`
    const fact = `${key} of ${about} from ${source}`
    const isSecond = known.has(fact)
    known.add(fact)
    return isSecond ? [`event ${id} was told before: ${fact}`] : []
  })
}

function takenBack(lines: readonly JournalLine[]): string[] {
  return lines
    .filter(({ type, stands }) => !stands || type === 'intent.reorged')
    .map(({ id, type, intent }) => `event ${id} (${type} of intent ${intent}) is of a reorg`)
}
