import pg from 'pg'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { registerWebhookMessage } from '../../sdk/messages/webhooks.ts'
import { verifyWebhook } from '../../sdk/webhooks/verifyWebhook.ts'
import type { MoneyStage } from '../e2e/money/moneyStage.ts'
import { type Received, startReceiver } from '../integration/push/receiver.ts'
import { until } from '../rig/until.ts'
import { type JournalLine, journalProblems } from './journalProblems.ts'

/** Somebody whose webhook wants everything, whatever dies meanwhile. */
export type PushWatch = {
  /** Ids of the events that came, each signed. */
  ids(): Set<string>
  /** Waits until all has come, and says what is not as it has to be of these intents, which have all ended. */
  problems(intents: readonly bigint[]): Promise<string[]>
  stop(): Promise<void>
}

/** Milliseconds: an attempt whose process was killed is made again after its lease. */
const PATIENCE = 180_000

/** Registers a webhook for all intents and orders of the devnet. */
export async function startPushWatch({ devnet, relayer }: MoneyStage): Promise<PushWatch> {
  const { api, accounts, chains, databaseUrl } = devnet.file
  const receiver = await startReceiver()
  const owner = privateKeyToAccount(accounts.guests[4] as Hex)
  // Every intent and order has both chains.
  const filter = { chainId: chains[0]!.chainId }
  let secret = ''
  await until(
    async () => {
      secret = (await register(api, owner, receiver.url, filter)) ?? ''
      return secret !== ''
    },
    'the webhook is registered',
    { patience: PATIENCE, every: 500 },
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
      ...journalProblems(lines),
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
      await until(isRight, 'all events have come', { patience: PATIENCE, every: 500 }).catch(
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

/** The secret; null while the role push has never run, or nobody answers. */
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
      ...{ 'content-type': 'application/json', 'x-owner-address': owner.address },
      'x-owner-signature': await owner.signMessage({ message }),
      'x-timestamp': String(timestamp),
    },
    body: JSON.stringify({ url, ...filter, delivery: 'instant' }),
  })
  const { secret } = (await response.json()) as { secret?: string }
  return response.ok ? (secret ?? null) : null
}

/** By the time when it came: at the end of a campaign the first may be too old to be taken. */
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
    ...[...journal].filter((id) => !received.has(id)).map((id) => `event ${id} never came`),
    ...[...received].filter((id) => !journal.has(id)).map((id) => `event ${id} is invented`),
  ]
}

/** How each intent began and ended is told, once. */
async function unreported(
  lines: readonly JournalLine[],
  intents: readonly bigint[],
  relayer: MoneyStage['relayer'],
): Promise<string[]> {
  const problems: string[] = []
  for (const intent of intents) {
    const { status } = await relayer.intentDetails(intent)
    for (const type of ['intent.pending', `intent.${status}`]) {
      const of = lines.filter(
        (line) => line.intent === String(intent) && line.type === type && line.stands,
      )
      if (of.length !== 1) problems.push(`${type} of intent ${intent} was told ${of.length} times`)
    }
  }
  return problems
}
