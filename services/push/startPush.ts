import type { Logger } from 'pino'
import { createProblemLog, createRepeatLog } from '../log/repeatLog.ts'
import { repeat } from '../process/repeat.ts'
import { type ChangeFeed, startChangeFeed } from '../store/changes/changeFeed.ts'
import { type Db, openDatabase } from '../store/database/openDatabase.ts'
import { writeRoleHeartbeats } from '../store/roles/writeRoleHeartbeats.ts'
import { keepDelivering } from './deliver/keepDelivering.ts'
import { createPostWebhook } from './deliver/postWebhook.ts'
import {
  loadWebhookDecryptionKey,
  openSecrets,
  publishKey,
  type WebhookDecryptionKey,
} from './deliver/webhookDecryptionKey.ts'
import { keepJournal, pruneJournal } from './journal/keepJournal.ts'
import { pruneEndpoints } from './pruneEndpoints.ts'
import type { PushStatus } from './pushHealth.ts'

const PRUNE_MS = 3_600_000

type PushOptions = {
  databaseUrl: string
  log: Logger
  /** Without a key file this instance only writes the journal. */
  webhooks?: { keyFile: string | null; allowPrivate: boolean }
}

/**
 * Writes the journal and delivers webhooks until stopped. Several instances may run at once.
 *
 * @throws when the key file can't be read or created
 */
export async function startPush(options: PushOptions): Promise<{ stop(): Promise<void> }> {
  const { databaseUrl, log, webhooks } = options
  const key = webhooks?.keyFile ? loadWebhookDecryptionKey(webhooks.keyFile) : null
  const { db, close } = openDatabase({
    databaseUrl,
    name: 'cairn_push',
    connections: 8,
    statementTimeoutMs: 60_000,
  })
  if (key) {
    await publishKey(db, key)
    const unreadable = await openSecrets(db, key)
    if (unreadable > 0)
      log.warn(
        { webhooks: unreadable },
        'PUSH_KEY_FILE is another key than these webhooks’ secrets were made for, and their deliveries wait: name the previous file; only if it is lost, have their owners rotate',
      )
  }
  const problem = createProblemLog(log)
  const report = createRepeatLog(log)
  const feed = startChangeFeed({
    databaseUrl,
    onProblem: (error) =>
      log.warn({ err: error }, 'the change feed failed: changes are noticed later, by polling'),
  })
  const journal = keepJournal({
    db,
    feed,
    onProblem: problem('the journal can’t be written: retrying'),
    onUnreadable: (error) =>
      log.error(
        { err: error },
        'rows of an intent or order make no sense: its events are left out',
      ),
  })
  const pruning = repeat(
    PRUNE_MS,
    (error) => log.warn({ err: error }, 'the journal can’t be pruned: retrying in an hour'),
    async () => {
      log.debug({ deleted: await pruneJournal(db) }, 'pruned the journal')
      log.debug({ deleted: await pruneEndpoints(db) }, 'pruned disabled webhooks')
    },
  )
  const heartbeats = writeRoleHeartbeats<PushStatus>(
    db,
    'push',
    () => ({
      delivers: key !== null,
      keyId: key?.keyId ?? null,
      allowsPrivate: webhooks?.allowPrivate ?? false,
      clock: Date.now(),
    }),
    problem('the heartbeat can’t be written, so /health may report this role as stopped: retrying'),
  )
  const delivering =
    key &&
    deliverWith(key, {
      db,
      feed,
      allowPrivate: webhooks?.allowPrivate,
      onProblem: problem('a webhook delivery’s outcome can’t be recorded'),
      onFault: (code) =>
        report(
          'warn',
          code,
          { code },
          'webhook deliveries wait: if this machine reaches no receiver at all, check its network, name servers, certificates, clock and limits',
        ),
    })
  return {
    stop: async () => {
      await Promise.all([journal.stop(), pruning.stop(), delivering?.stop(), feed.stop()])
      await heartbeats.stop()
      await close()
    },
  }
}

function deliverWith(
  key: WebhookDecryptionKey,
  {
    db,
    feed,
    allowPrivate = false,
    ...reports
  }: {
    db: Db
    feed: ChangeFeed
    allowPrivate?: boolean | undefined
    onProblem: (error: unknown) => void
    onFault: (code: string) => void
  },
): { stop(): Promise<void> } {
  return keepDelivering({
    db,
    key,
    post: createPostWebhook({ allowPrivate }),
    onWork: (listener) => {
      const leaves = [
        feed.onJournal(listener),
        // A new block may make events final.
        feed.subscribe(({ kind }) => kind === 'clock' && listener()),
      ]
      return () => {
        for (const leave of leaves) leave()
      }
    },
    ...reports,
  })
}
