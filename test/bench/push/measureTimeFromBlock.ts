import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { createPushEventRoutes } from '../../../api/rest/events/pushEventRoutes.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import { createWebhookRoutes } from '../../../api/rest/webhooks/webhookRoutes.ts'
import { readServerSentEvents } from '../../../sdk/events/readServerSentEvents.ts'
import { startPush } from '../../../services/push/startPush.ts'
import { startBridgePair } from '../../integration/indexer/bridgePair.ts'
import {
  awaitLive,
  startTestDatabase,
  startTestIndexer,
} from '../../integration/indexer/indexerUnderTest.ts'
import { ADMIN_TOKEN } from '../../integration/push/pushRig.ts'
import { until } from '../../rig/until.ts'
import { watchHeads } from '../freshness/watchHeads.ts'
import type { Arrival } from './receiverProgram.ts'

/** Milliseconds from the moment at which the node announced a block. */
type FromBlock = { bySse: number[]; byWebhook: number[] }

const WARM_UP = 5

/** Milliseconds between intents, each in a block of its own. Ponder sends 20 requests a second, enough for six blocks. */
const BLOCK_MS = 250

/**
 * Creates intents one after another on a chain of its own that Ponder follows, and measures the time until an event
 * stream and a webhook receive each `intent.pending`.
 *
 * @param webhooks the role's key, and where deliveries arrive
 */
export async function measureTimeFromBlock(
  events: number,
  { keyFile, url, arrivals }: { keyFile: string; url: string; arrivals: readonly Arrival[] },
): Promise<FromBlock> {
  const [pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  const chains = [pair.base.config, pair.horizen.config]
  const indexer = await startTestIndexer(database.url, chains)
  await Promise.all([awaitLive(indexer, pair.base), awaitLive(indexer, pair.horizen)])
  const log = pino({ level: 'silent' })
  const push = await startPush({
    databaseUrl: database.url,
    log,
    webhooks: { keyFile, allowPrivate: true },
  })
  const api = await startApi({
    databaseUrl: database.url,
    chains,
    host: '127.0.0.1',
    port: 0,
    routes: [
      createPushEventRoutes({ onProblem: (error) => log.error(error) }),
      createWebhookRoutes({ adminTokens: [ADMIN_TOKEN], allowPrivate: true }),
    ],
  })
  const heads = await watchHeads(pair.base.node.ws)
  const leaving = new AbortController()
  try {
    const types = ['intent.pending']
    const { ok } = await fetch(`${api.url}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` },
      body: JSON.stringify({ url: `${url}/from-block`, chainId: pair.base.chainId, types }),
    })
    if (!ok) throw new Error('the webhook was refused')
    const streamed = await openStream(`${api.url}/events?types=${types}`, leaving.signal)
    const result: FromBlock = { bySse: [], byWebhook: [] }
    for (let number = -WARM_UP; number < events; number++) {
      await pause(BLOCK_MS)
      const head = heads.next()
      const intent = String(await pair.play.create())
      const mined = performance.timeOrigin + (await head).seenAt
      await until(() => streamed.has(intent), `intent ${intent} on the stream`)
      const { id, at } = streamed.get(intent)!
      const arrival = () => arrivals.find((one) => one.id === id)
      await until(() => arrival() !== undefined, `intent ${intent} at the webhook`)
      if (number < 0) continue
      result.bySse.push(Math.round(at - mined))
      result.byWebhook.push(Math.round(arrival()!.at - mined))
    }
    return result
  } finally {
    leaving.abort()
    heads.close()
    await Promise.all([api.stop(), push.stop(), indexer.stop()])
    await Promise.all([pair.stop(), database.stop()])
  }
}

/** Opens an event stream that notes when each intent’s event arrived. */
async function openStream(url: string, signal: AbortSignal) {
  const streamed = new Map<string, { id: string; at: number }>()
  const response = await fetch(url, { signal })
  const read = async () => {
    for await (const { data } of readServerSentEvents(response.body!)) {
      const { id, data: event } = JSON.parse(data)
      streamed.set(event.intentId, { id, at: Date.now() })
    }
  }
  read().catch(() => {})
  return streamed
}
