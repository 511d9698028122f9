import type { Logger } from 'pino'
import { repeat } from '../process/repeat.ts'
import { startChangeFeed } from '../store/changes/changeFeed.ts'
import { openDatabase } from '../store/database/database.ts'
import { keepJournal } from './journal/keepJournal.ts'
import { pruneJournal } from './journal/pruneJournal.ts'

const PRUNE_MS = 3_600_000

export type PushOptions = { databaseUrl: string; log: Logger }

/** Writes the journal for as long as it runs. Several may run beside each other. */
export function startPush({ databaseUrl, log }: PushOptions): { stop(): Promise<void> } {
  const { db, close } = openDatabase({ databaseUrl, connections: 4, statementTimeoutMs: 60_000 })
  const feed = startChangeFeed({
    databaseUrl,
    onProblem: (error) => log.warn({ err: error }, 'changes can’t be heard'),
  })
  const journal = keepJournal({
    ...{ db, feed },
    onProblem: (error) => log.error({ err: error }, 'the journal can’t be written: trying again'),
  })
  const pruning = repeat(
    PRUNE_MS,
    (error) => log.warn({ err: error }, 'the journal can’t be pruned: trying again in an hour'),
    async () => log.debug({ deleted: await pruneJournal(db) }, 'pruned the journal'),
  )
  return {
    stop: async () => {
      await Promise.all([journal.stop(), pruning.stop(), feed.stop()])
      await close()
    },
  }
}
