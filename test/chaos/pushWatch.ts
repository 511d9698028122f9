import pg from 'pg'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { registerWebhookMessage } from '../../sdk/messages/webhookMessages.ts'
import { verifyWebhook } from '../../sdk/webhooks/verifyWebhook.ts'
import type { MoneyTestbed } from '../e2e/money/moneyTestbed.ts'
import { type Received, startWebhookReceiver } from '../integration/push/webhookReceiver.ts'
import { until } from '../rig/until.ts'
import { findJournalProblems, type JournalLine } from './findJournalProblems.ts'

/** A webhook subscribed to every event for the whole campaign. */
export type PushWatch = {
  /** Ids of received events whose signature verified. */
  ids(): Set<string>
  /** Waits for all deliveries and lists what is wrong for these intents, all of which have ended. */
  problems(intents: readonly bigint[]): Promise<string[]>
  stop(): Promise<void>
}

/** Milliseconds: when a process is killed, its delivery attempt is retried only after the lease expires. */
const TIMEOUT_MS = 180_000

/** Registers a webhook for all intents and orders of the devnet. */
export async function startPushWatch({ devnet, relayer }: MoneyTestbed): Promise<PushWatch> {
  const { api, accounts, chains, databaseUrl } = devnet.file
  const receiver = await startWebhookReceiver()
  const owner = privateKeyToAccount(accounts.guests[4] as Hex)
  // Filters by chain: both chains match every intent and order.
  const filter = { chainId: chains[0]!.chainId }
  let secret = ''
  await until(
    async () => {
      secret = (await register(api, owner, receiver.url, filter)) ?? ''
      return secret !== ''
    },
    'the webhook is registered',
    { timeout: TIMEOUT_MS, interval: 500 },
  )
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id'] as string))
  const journal = async (): Promise<JournalLine[]> => {
    const { rows } = await client.query(
      `select 'evt_' || sequence as id, type, key, stands,
         source_chain_id::text as source, intent_id::text as intent, order_id as "order"
       from app.push_event order by sequence`,
    )
    return rows
  }
  const problemsNow = async (intents: readonly bigint[]) => {
    const lines = await journal()
    return [
      ...differences(new Set(lines.map(({ id }) => id)), ids()),
      ...findJournalProblems(lines),
      ...(await unreported(lines, intents, relayer)),
    ]
  }
  return {
    ids,
    problems: async (intents) => {
      let problems: string[] = []
      const isRight = async () => {
        problems = await problemsNow(intents)
        return problems.length === 0
      }
      await until(isRight, 'all events have come', { timeout: TIMEOUT_MS, interval: 500 }).catch(
        () => {},
      )
      const forged = receiver.received.filter((one) => !isSigned(one, secret))
      return [...problems, ...forged.map(({ body }) => `a webhook without signature: ${body}`)]
    },
    stop: async () => {
      await Promise.all([client.end(), receiver.stop()])
    },
  }
}

/** Returns the webhook's secret; null while the push role has never run or the API is down. */
async function register(
  api: string,
  owner: ReturnType<typeof privateKeyToAccount>,
  url: string,
  filter: { chainId: number },
): Promise<string | null> {
  const timestamp = Math.floor(Date.now() / 1_000)
  const message = registerWebhookMessage(url, filter, 'instant', timestamp)
  const response = await fetch(`${api}/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-owner-address': owner.address,
      'x-owner-signature': await owner.signMessage({ message }),
      'x-timestamp': String(timestamp),
    },
    body: JSON.stringify({ url, ...filter, delivery: 'instant' }),
  })
  const { secret } = (await response.json()) as { secret?: string }
  return response.ok ? (secret ?? null) : null
}

/** Verifies at the time of receipt, since by the end of a campaign the first signatures have expired. */
function isSigned({ body, headers, at }: Received, secret: string): boolean {
  try {
    verifyWebhook(body, headers, secret, at)
    return true
  } catch {
    return false
  }
}

function differences(journal: ReadonlySet<string>, received: ReadonlySet<string>): string[] {
  return [
    ...[...journal]
      .filter((id) => !received.has(id))
      .map((id) => `event ${id} was never delivered`),
    ...[...received]
      .filter((id) => !journal.has(id))
      .map((id) => `event ${id} is not in the journal`),
  ]
}

/** Every intent's creation and end must be reported exactly once. */
async function unreported(
  lines: readonly JournalLine[],
  intents: readonly bigint[],
  relayer: MoneyTestbed['relayer'],
): Promise<string[]> {
  const problems: string[] = []
  for (const intent of intents) {
    const { status } = await relayer.intentDetails(intent)
    for (const type of ['intent.pending', `intent.${status}`]) {
      const of = lines.filter(
        (line) => line.intent === String(intent) && line.type === type && line.stands,
      )
      if (of.length !== 1)
        problems.push(`${type} of intent ${intent} was reported ${of.length} times`)
    }
  }
  return problems
}
