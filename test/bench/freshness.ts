/**
 * `npm run bench:freshness`: time from a block's announcement until its event is readable.
 *
 * Starts a devnet (1 s blocks), or measures a running one with `--attach <directory>`; `--samples <n>` (default 60);
 * `--load` adds the traffic of `npm start`; `--steps` logs the indexer's statements in PostgreSQL and times each step.
 * Each sample is an intent created on the first chain: the clock starts when a WebSocket subscriber hears of its block,
 * and stops when PostgreSQL notifies a listener of the committed row, and when `GET /intent-details/:id` answers 200.
 * For comparison, an indexer without subscriptions is simulated: polling for logs every 500 ms.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { encodeFunctionData, erc20Abi, type Hash, maxUint256, parseEventLogs } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createDevnetClient } from '../../devnet/devnetClient.ts'
import { type DevnetFile, readDevnetFile } from '../../devnet/devnetFile.ts'
import { DEFAULT_PER_MINUTE } from '../../devnet/readCommandLine.ts'
import { worth } from '../../devnet/tokens.ts'
import { createAccountSender } from '../../services/chain/accountSender.ts'
import { removeClusterDirectory } from '../../services/postgres/clusterDirectory.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { startDevnetProcess } from '../rig/devnetProcess.ts'
import { findPercentile } from './freshness/percentile.ts'
import { logStatements, readSteps, type Step } from './freshness/statementTimes.ts'
import {
  awaitCommitVisibility,
  awaitPollingVisibility,
  awaitRestVisibility,
} from './freshness/visibilityProbes.ts'
import { watchHeads } from './freshness/watchHeads.ts'
import { readOptions } from './readOptions.ts'

const NAIVE_INTERVAL_MS = 500
const AIM_P95_MS = 50
/** Intents before the first sample, two seconds each: by then, V8 has compiled what the roles run often. */
const WARM_UP = 30

/** Milliseconds from the announcement of the block, which was heard at `seenAt` (`performance.now()`). */
type Sample = { seenAt: number; committed: number; rest: number; polled: number }

const values = readOptions(
  `npm run bench:freshness -- [options]

  --samples <n>       intents to create (default 60)
  --load              with the traffic of npm start on both chains
  --steps             how long each step takes, by PostgreSQL's log (which takes time itself)
  --attach <dir>      measure the devnet that runs in this directory (default: one of its own)`,
  {
    attach: { type: 'string' },
    load: { type: 'boolean' },
    steps: { type: 'boolean' },
    samples: { type: 'string', default: '60' },
  },
  ['samples'],
)
if (values.attach === undefined) await measureOwnDevnet(Number(values.samples))
else print(await measure(readDevnetFile(values.attach), Number(values.samples)))
process.exit()

/** A process of its own, as for its users: its load must not delay the clock. */
async function measureOwnDevnet(count: number): Promise<void> {
  // A reader that retries at once would be rate-limited.
  Object.assign(process.env, { API_READS_PER_SECOND: '100000', API_READS_BURST: '100000' })
  const directory = await mkdtemp(join(tmpdir(), 'cairn-freshness-'))
  console.log('starting a devnet …')
  const traffic = values.load ? `${DEFAULT_PER_MINUTE}/min` : 'off'
  const devnet = startDevnetProcess(directory, '--traffic', traffic)
  try {
    const file = await devnet.running()
    if (values.steps) await logStatements(file.databaseUrl)
    const samples = await measure(file, count)
    print(samples)
    if (values.steps) printSteps(await readSteps(join(directory, 'logs', 'postgres.log'), samples))
  } finally {
    devnet.signal('SIGINT')
    await devnet.ended
    removeClusterDirectory(join(directory, 'postgres'))
    await rm(directory, { recursive: true, force: true })
  }
}

async function measure(file: DevnetFile, count: number): Promise<Sample[]> {
  const [chain] = file.chains
  if (!chain) throw new Error('the devnet has no chain')
  const database = new pg.Client(file.databaseUrl)
  // If the devnet fails, its own message says more than a lost connection.
  database.on('error', () => {})
  await database.connect()
  const heads = await watchHeads(chain.ws)
  const polling = awaitPollingVisibility(chain.rpc, chain.bridge, NAIVE_INTERVAL_MS)
  const committed = await awaitCommitVisibility(database)
  const visible = awaitRestVisibility(file.api)
  const create = await intentCreator(file)
  while (!(await knowsAllChains(file.api))) await pause(200)
  const samples: Sample[] = []
  for (let number = -WARM_UP; number < count; number++) {
    await heads.next()
    // Well before the next block, so that the creation waits for it.
    await pause(300)
    const created = await create()
    const head = await heads.next()
    const intent = await created()
    if (intent?.blockNumber !== head.blockNumber) continue
    const { intentId } = intent
    const [atCommit, atRest] = await Promise.all([committed(intentId), visible(intentId)])
    const since = (at: number) => at - head.seenAt
    const polled = since(await polling.seenAt(head.blockNumber))
    const { seenAt } = head
    if (number >= 0)
      samples.push({ seenAt, committed: since(atCommit), rest: since(atRest), polled })
  }
  heads.close()
  polling.close()
  await database.end()
  return samples
}

/** `/ready` speaks of the API; until every chain is there, an unknown id may be one of theirs. */
async function knowsAllChains(api: string): Promise<boolean> {
  const response = await fetch(`${api}/intents?limit=1`)
  return response.ok && (await response.json()).notIndexedYet === undefined
}

/** Creates intents of a guest's. Each is asked for once its block is announced; null while it is in none. */
async function intentCreator({ chains, accounts }: DevnetFile) {
  const [source, destination] = chains as [
    DevnetFile['chains'][number],
    DevnetFile['chains'][number],
  ]
  const client = createDevnetClient(source)
  const guest = createAccountSender(
    client,
    privateKeyToAccount(accounts.guests[0] as `0x${string}`),
  )
  const token = source.tokens.USDC as `0x${string}`
  const approval = {
    abi: erc20Abi,
    functionName: 'approve',
    args: [source.bridge, maxUint256],
  } as const
  await guest.execute({ to: token, data: encodeFunctionData(approval) })
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'createIntent',
    args: [
      ...([token, destination.tokens.ZEN as `0x${string}`, worth('USDC', 10_000)] as const),
      ...([worth('ZEN', 9_000), 0n, BigInt(destination.chainId), 20n] as const),
    ],
  })
  const createdBy = async (hash: Hash) => {
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => null)
    const [event] = parseEventLogs({
      abi: bridgeIntentV2Abi,
      eventName: 'IntentCreated',
      logs: receipt?.logs ?? [],
    })
    return event ? { intentId: event.args.intentId, blockNumber: event.blockNumber } : null
  }
  return async () => {
    const hash = await guest.send({ to: source.bridge, data, gas: 400_000n })
    return () => createdBy(hash)
  }
}

function printSteps(steps: Step[]): void {
  console.log(
    `\n${'of these, by PostgreSQL’s log'.padEnd(40)}${'p50'.padStart(11)}${'p95'.padStart(11)}`,
  )
  for (const { name, took } of steps) {
    const [p50, p95] = [0.5, 0.95].map((share) =>
      findPercentile(took, share).toFixed(1).padStart(8),
    )
    console.log(`${name.padEnd(40)}${p50} ms${p95} ms`)
  }
}

function print(samples: Sample[]): void {
  const line = (name: string, pick: (sample: Sample) => number) => {
    const all = samples.map(pick)
    const [p50, p95] = [findPercentile(all, 0.5), findPercentile(all, 0.95)]
    const worst = Math.max(...all)
    const shown = [p50, p95, worst].map((value) => `${value.toFixed(1).padStart(8)} ms`)
    console.log(`${name.padEnd(40)}${shown.join('')}`)
    return { p50, p95 }
  }
  console.log(`\n${samples.length} samples, from a block's announcement to …`)
  console.log(`${''.padEnd(40)}${['p50', 'p95', 'max'].map((name) => name.padStart(11)).join('')}`)
  line('row committed, listener told', ({ committed }) => committed)
  const rest = line('visible over REST', ({ rest }) => rest)
  const polled = line(`polling for logs every ${NAIVE_INTERVAL_MS} ms`, ({ polled }) => polled)
  const ratio = (naive: number, own: number) => `${(naive / own).toFixed(1)} times`
  console.log(
    `\nREST is ${ratio(polled.p50, rest.p50)} (p50) and ${ratio(polled.p95, rest.p95)} (p95) fresher than polling.`,
  )
  const met = rest.p95 < AIM_P95_MS
  console.log(`Aim: p95 over REST below ${AIM_P95_MS} ms: ${met ? 'met' : 'missed'}.`)
}
