import type pg from 'pg'
import { createPushEventRoutes } from '../../../api/rest/events/pushEventRoutes.ts'
import { createWebhookRoutes } from '../../../api/rest/webhooks/webhookRoutes.ts'
import { updateJournal } from '../../../services/push/journal/keepJournal.ts'
import { setChainClock } from '../../../tools/seed/createChainTables.ts'
import { BASE, HORIZEN, type SeededApi, startSeededApi, UNTIL } from '../rest/seededApi.ts'

export const TABLES = `cairn_${BASE}_seeded`

export const ADMIN_TOKEN = 'an-operator-of-the-push-tests-32-bytes'

type Line = {
  sequence: string
  type: string
  stands: boolean
  intent_id: string | null
  order_id: string | null
  // biome-ignore lint/suspicious/noExplicitAny: looked at field by field
  data: any
}

export type PushRig = {
  api: SeededApi
  client: pg.Client
  /** One block's worth of change, as Ponder commits it. */
  commit(statements: string[]): Promise<void>
  /** Brings the journal up and returns the lines that it got. */
  update(): Promise<Line[]>
  /** Sets the source chain's clock, seconds after the seeded history's end. */
  clock(seconds: number): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: a row
  pick(where: string): Promise<any>
  stop(): Promise<void>
}

/** A seeded index that is followed, its journal, and the API over it. */
export async function startPushRig(
  streams = { perClient: 4, total: 8 },
  registrations = { perSecond: 1_000, burst: 1_000 },
): Promise<PushRig> {
  const problems: unknown[] = []
  const events = createPushEventRoutes({
    onProblem: (error) => problems.push(error),
    limits: streams,
    heartbeatMs: 200,
  })
  const webhooks = createWebhookRoutes({
    adminTokens: [ADMIN_TOKEN],
    allowPrivate: true,
    registrations,
  })
  const api = await startSeededApi({
    intents: 900,
    routes: [events, webhooks],
    trustedProxies: ['127.0.0.0/8'],
  })
  const client = await api.postgres.connect()
  for (const chain of [BASE, HORIZEN])
    await client.query(`select app.install_row_triggers('cairn_${chain}_seeded')`)
  const linesAfter = async (sequence: string) => {
    const { rows } = await client.query(
      'select sequence::text, type, stands, intent_id::text, order_id, data from app.push_event where sequence > $1 order by sequence',
      [sequence],
    )
    return rows as Line[]
  }
  const newest = async () => {
    const { rows } = await client.query(
      'select coalesce(max(sequence), 0)::text as newest from app.push_event',
    )
    return rows[0].newest as string
  }
  return {
    api,
    client,
    commit: async (statements) => {
      await client.query(['begin', ...statements, 'commit'].join(';\n'))
    },
    update: async () => {
      const before = await newest()
      await updateJournal(api.database.db)
      return linesAfter(before)
    },
    clock: (seconds) =>
      setChainClock(client, TABLES, {
        chainId: BASE,
        chainName: 'base_sepolia',
        blockNumber: 1_000_000 + seconds,
        timestamp: UNTIL + seconds,
      }),
    pick: async (where) => {
      const { rows } = await client.query(
        `select *, intent_id::text as id from "${TABLES}".intent where ${where} order by intent_id desc limit 1`,
      )
      return rows[0]
    },
    stop: async () => {
      await api.stop()
      if (problems.length > 0) throw new AggregateError(problems)
    },
  }
}
