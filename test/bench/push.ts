/**
 * `npm run bench:push`: time from a mined block, and from a change of the index, until subscribers receive the event, by
 * server-sent events and by webhooks; the same while 100 of 1,000 receivers hang; and deliveries per second of one
 * core, compared with a bare HTTP client that posts the same bodies to the same receiver.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { readServerSentEvents } from '../../sdk/events/readServerSentEvents.ts'
import { createPostWebhook } from '../../services/push/deliver/postWebhook.ts'
import { signDelivery } from '../../services/push/deliver/signDelivery.ts'
import { startPush } from '../../services/push/startPush.ts'
import { ADMIN_TOKEN, startPushRig, TABLES } from '../integration/push/pushRig.ts'
import { BASE } from '../integration/rest/seededApi.ts'
import { findPercentile } from './freshness/percentile.ts'
import { measureTimeFromBlock } from './push/measureTimeFromBlock.ts'
import type { Arrival, ReceiverMessage } from './push/receiverProgram.ts'
import { readOptions } from './readOptions.ts'

const USAGE = `npm run bench:push -- [options]

  --events <number>      changes to time (default 100)
  --endpoints <number>   webhooks for the same event, a tenth of which hang (default 1,000)
  --deliveries <number>  deliveries to measure the rate with (default 5,000)`
const options = readOptions(
  USAGE,
  {
    events: { type: 'string', default: '100' },
    endpoints: { type: 'string', default: '1000' },
    deliveries: { type: 'string', default: '5000' },
  },
  ['events', 'endpoints', 'deliveries'],
)
const [EVENTS, ENDPOINTS, DELIVERIES] = [
  Number(options.events),
  Number(options.endpoints),
  Number(options.deliveries),
]

const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-push-'))
const rig = await startPushRig({ perClient: 10, total: 20 })
await rig.update()
const receiver = await startReceiver()
const webhooks = { keyFile: join(directory, 'key'), allowPrivate: true }
const { databaseUrl } = rig.api.postgres
const startRole = () => startPush({ databaseUrl, log: pino({ level: 'silent' }), webhooks })
let push = await startRole()
try {
  print(`load of the machine: ${loadavg()[0]?.toFixed(1)}`)
  const { rows } = await rig.client.query(
    `select intent_id::text as id from "${TABLES}".intent where phase = 'completed' order by intent_id`,
  )
  const intents = rows.map(({ id }) => id as string)
  await timeBlocks()
  await timeEvents(intents)
  await timeWithHanging(intents)
  await countDeliveries(intents.at(-1) ?? '')
} finally {
  await push.stop()
  receiver.stop()
  await rig.stop()
  rmSync(directory, { recursive: true })
}

/** Changes the index as a commit of Ponder's would: takes back a payout. Returns when that was committed. */
async function happen(id: string): Promise<number> {
  await rig.commit([
    `delete from "${TABLES}".event where intent_id = ${id} and type = 'IntentSettled'`,
    `update "${TABLES}".intent set phase = 'deposited', settle_tx_hash = null, settled_at = null where intent_id = ${id}`,
  ])
  return Date.now()
}

async function timeBlocks(): Promise<void> {
  const { bySse, byWebhook } = await measureTimeFromBlock(EVENTS, { ...receiver, ...webhooks })
  print(`${EVENTS} intents, from the block that a node announces to the receiver:`)
  print(`  server-sent events  ${spread(bySse)}`)
  print(`  webhooks            ${spread(byWebhook)}`)
}

async function timeEvents(intents: string[]): Promise<void> {
  await register('/timed', { chainId: BASE, types: ['intent.reorged'] })
  const leaving = new AbortController()
  const streamed = new Map<string, number>()
  const response = await fetch(`${rig.api.url}/events?types=intent.reorged`, {
    signal: leaving.signal,
  })
  const reading = (async () => {
    for await (const { data } of readServerSentEvents(response.body!))
      if (data) streamed.set(JSON.parse(data).id, Date.now())
  })().catch(() => {})
  const [bySse, byWebhook]: [number[], number[]] = [[], []]
  for (const id of intents.splice(0, EVENTS)) {
    const before = new Set(streamed.keys())
    const committed = await happen(id)
    await sooner(() => streamed.size > before.size)
    const [event = ''] = [...streamed.keys()].filter((known) => !before.has(known))
    await sooner(() => receiver.arrivals.some((one) => one.id === event))
    const arrived = receiver.arrivals.find((one) => one.id === event)
    bySse.push((streamed.get(event) ?? 0) - committed)
    byWebhook.push((arrived?.at ?? 0) - committed)
  }
  leaving.abort()
  await reading
  await rig.client.query(`update app.webhook_endpoint set status = 'disabled'`)
  print(`${EVENTS} events, from the index's commit to the receiver:`)
  print(`  server-sent events  ${spread(bySse)}`)
  print(`  webhooks            ${spread(byWebhook)}`)
}

async function timeWithHanging(intents: string[]): Promise<void> {
  const requested = { chainId: BASE, types: ['intent.reorged'] }
  for (let i = 0; i < ENDPOINTS; i++)
    await register(i % 10 === 0 ? `/hang/${i}` : `/quick/${i}`, requested)
  const quick = () => receiver.arrivals.filter(({ path }) => path.startsWith('/quick/'))
  const expected = ENDPOINTS - Math.ceil(ENDPOINTS / 10)
  print(`${ENDPOINTS} webhooks, ${ENDPOINTS - expected} of them hanging; the others:`)
  await push.stop()
  push = await startRole()
  for (const which of ['first event after a start', 'second event']) {
    const before = quick().length
    const committed = await happen(intents.shift() ?? '')
    await sooner(() => quick().length >= before + expected)
    const times = quick()
      .slice(before)
      .map(({ at }) => at - committed)
    const within = findPercentile(times, 0.95) <= 1_000 ? 'within 1 s' : 'NOT within 1 s'
    print(`  ${which}: ${spread(times)}; p95 ${within}`)
  }
  await rig.client.query(`update app.webhook_endpoint set status = 'disabled'`)
}

/** Releases waiting deliveries of a hundred webhooks all at once; then runs the bare client. */
async function countDeliveries(id: string): Promise<void> {
  for (let i = 0; i < 100; i++) await register(`/many/${i}`, { intentId: id })
  const many = () => receiver.arrivals.filter(({ path }) => path.startsWith('/many/')).length
  const began = [performance.now(), process.cpuUsage()] as const
  await rig.client.query(
    `insert into app.webhook_delivery (endpoint_id, sequence, status)
     select e.endpoint_id, line.sequence, 'due' from app.webhook_endpoint e
     cross join (select sequence from app.push_event order by sequence limit ${Math.ceil(DELIVERIES / 100)}) line
     where e.url like '%/many/%'`,
  )
  await rig.client.query(`notify cairn_push`)
  await sooner(() => many() >= DELIVERIES)
  const ours = rate(began)
  const bare = await rateOfBareClient()
  print(`${DELIVERIES} deliveries over 100 webhooks, each signed, claimed and written down:`)
  print(`  ${ours.perSecond} a second; ${ours.perCpuSecond} a CPU-second of the role's process`)
  print(`  bare HTTP client: ${bare.perSecond} a second; ${bare.perCpuSecond} a CPU-second`)
  print(`  ratio by CPU-second: ${(ours.perCpuSecond / bare.perCpuSecond).toFixed(2)}`)
}

/** Sends the same posts without a database, two at a time for each webhook. */
async function rateOfBareClient() {
  const post = createPostWebhook({ allowPrivate: true })
  const body = JSON.stringify({ id: 'evt_1', type: 'intent.completed', data: 'x'.repeat(700) })
  const headers = signDelivery('evt_1', body, [new Uint8Array(32)], 0)
  const began = [performance.now(), process.cpuUsage()] as const
  let left = DELIVERIES
  const work = async () => {
    while (left-- > 0) await post(`${receiver.url}/bare`, headers, body)
  }
  await Promise.all(Array.from({ length: 200 }, work))
  return rate(began)
}

function rate([since, cpu]: readonly [number, NodeJS.CpuUsage]) {
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: Math.round((DELIVERIES * 1_000) / (performance.now() - since)),
    perCpuSecond: Math.round((DELIVERIES * 1_000_000) / (user + system)),
  }
}

async function register(path: string, filter: object): Promise<void> {
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { status, text } = await rig.api.post(
    '/webhooks',
    { url: receiver.url + path, ...filter },
    admin,
  )
  if (status !== 200) throw new Error(text)
}

async function startReceiver() {
  const program = fileURLToPath(new URL('./push/receiverProgram.ts', import.meta.url))
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const arrivals: Arrival[] = []
  const [first] = (await once(child, 'message')) as [ReceiverMessage]
  if (first.type !== 'listening') throw new Error('the receiver did not begin by listening')
  child.on('message', (message: ReceiverMessage) => {
    if (message.type === 'arrived') arrivals.push(...message.arrivals)
  })
  const stop = () => child.disconnect()
  return { url: `http://127.0.0.1:${first.port}`, arrivals, stop }
}

async function sooner(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 120_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not true in time: ${condition}`)
    await pause(10)
  }
}

function spread(times: readonly number[]): string {
  const of = (share: number) => `${findPercentile(times, share)} ms`
  return `p50 ${of(0.5)}, p95 ${of(0.95)}, most ${of(1)}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
