import pg from 'pg'

/** Statements this process sent to PostgreSQL, by the first words of each. */
type StatementCount = {
  /** Returns the counts since the last call, and resets them. */
  take(): ReadonlyMap<string, number>
}

const WORDS = 60

/** Counts every statement sent by any connection of this process from now on. */
export function countStatements(): StatementCount {
  let counts = new Map<string, number>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function counted(this: pg.Client, ...given: unknown[]) {
    const name = nameOf(given[0])
    counts.set(name, (counts.get(name) ?? 0) + 1)
    return (query as (...all: unknown[]) => unknown).apply(this, given)
  } as typeof query
  return {
    take() {
      const taken = counts
      counts = new Map()
      return taken
    },
  }
}

function nameOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : (statement as { text?: string }).text
  return (text ?? 'of another kind').trim().replace(/\s+/g, ' ').slice(0, WORDS)
}
