import type { LogsRead, LogsWanted } from './askLogs.ts'

/** What was read of a node's logs before it took too long, for the next attempt to go on from. */
export type LogsBegun = {
  /** Nobody else has it until it is kept again. */
  take(url: string, wanted: LogsWanted): LogsRead
  keep(url: string, wanted: LogsWanted, read: LogsRead): void
}

/** Readings kept at most, and logs of one: an intent has a few. */
const MOST = 256
const MOST_LOGS = 100

export function createLogsBegun(): LogsBegun {
  const begun = new Map<string, LogsRead>()
  const nameOf = (url: string, wanted: LogsWanted) => JSON.stringify([url, wanted])
  return {
    take(url, wanted) {
      const name = nameOf(url, wanted)
      const read = begun.get(name) ?? { next: wanted.from, logs: [] }
      begun.delete(name)
      return read
    },
    keep(url, wanted, read) {
      if (read.next === wanted.from || read.logs.length > MOST_LOGS) return
      const name = nameOf(url, wanted)
      const other = begun.get(name)
      begun.delete(name)
      begun.set(name, other && other.next > read.next ? other : read)
      if (begun.size > MOST) begun.delete(begun.keys().next().value as string)
    },
  }
}
