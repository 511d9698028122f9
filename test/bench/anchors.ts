/**
 * `npm run bench:anchors`: time from the block of an intent's creation to the block of its anchor, with remote nodes.
 *
 * Index, reconciler, enclave and sender are those of production; the node is anvil with timed blocks, and everything but
 * the load reaches it through a proxy that adds latency. Measures a naive sender, then a burst, then a steady flow.
 */

import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { startChangeFeed } from '../../services/store/changes/changeFeed.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { startRelayerRig } from '../integration/reactions/relayerRig.ts'
import { followAnchorStages } from './anchors/anchorStages.ts'
import { countStatements } from './anchors/countStatements.ts'
import { type LatencyProxy, startLatencyProxy } from './anchors/latencyProxy.ts'
import { type ProcessTimes, readProcessTimes } from './anchors/readProcessTimes.ts'
import { sendAll, signCreations } from './anchors/sendCreations.ts'
import { anchorOneByOne } from './anchors/sequentialBaseline.ts'
import { type AnchorWatch, watchAnchors } from './anchors/watchAnchors.ts'
import { findPercentile } from './freshness/percentile.ts'
import { readOptions } from './readOptions.ts'

const values = readOptions(
  `npm run bench:anchors -- [options]

  --latency <ms>      added to each exchange with a node (default 80)
  --block <s>         seconds between blocks (default 1)
  --naive <n>         intents that the one-at-a-time sender anchors (default 40)
  --burst <n>         intents created at once (default 500)
  --rate <n>          intents created a second (default 50)
  --seconds <n>       for so long (default 60)
  --profile <file>    writes CPU profiles of this process: <file>.burst.cpuprofile, <file>.steady.cpuprofile
  --statements        lists the statements that were sent most often`,
  {
    latency: { type: 'string', default: '80' },
    block: { type: 'string', default: '1' },
    naive: { type: 'string', default: '40' },
    burst: { type: 'string', default: '500' },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    profile: { type: 'string' },
    statements: { type: 'boolean', default: false },
  },
  ['latency', 'block', 'naive', 'burst', 'rate', 'seconds'],
)
const [latency, block, naive, burst, rate, seconds] = [
  ...[values.latency, values.block, values.naive, values.burst, values.rate, values.seconds],
].map(Number) as [number, number, number, number, number, number]

const SOURCE = 84532
const AIM_P95_MS = 3_000
const BLOCK_GAS = 36_000_000n
/** Stop waiting after this many milliseconds without a new anchor. */
const TIMEOUT_MS = 60_000

const proxies: LatencyProxy[] = []
const statements = countStatements()
const rig = await startRelayerRig({
  change: async (config) => {
    const proxy = await startLatencyProxy(config.rpcUrls[0] as string, latency)
    if (config.chainId === SOURCE) proxies.unshift(proxy)
    else proxies.push(proxy)
    return { ...config, rpcUrls: [proxy.url], wsUrl: proxy.wsUrl }
  },
})
const { base } = rig
const [proxy] = proxies as [LatencyProxy]
await base.client.request({
  method: 'evm_setBlockGasLimit',
  params: [`0x${BLOCK_GAS.toString(16)}`],
} as never)
await base.client.request({ method: 'evm_setIntervalMining', params: [block] } as never)
const { eciesPublicKey } = await rig.enclave.publicKeys()
const watch = await watchAnchors(base)
const stages = followAnchorStages(watch)
const feed = startChangeFeed({ databaseUrl: rig.postgres.databaseUrl })
feed.subscribe(stages.onChange)
console.log(
  `${latency} ms of latency, a block of ${BLOCK_GAS / 1_000_000n}M gas every ${block} s, load ${loadNow()}`,
)
const create = (count: number) => signCreations(base, rig.horizen.chainId, eciesPublicKey, count)

const slow = await measure(`one at a time, ${naive} intents`, naive, async () => {
  await sendAll(base.node.rpc, await create(naive))
  await created(naive)
  await anchorOneByOne(rig, rig.configs[0] as never, [...watch.createdAt.keys()])
})
await rig.startReactions({
  sender: {},
  sweepMs: 2_000,
  unpaidGas: 10n ** 15n,
  onEvent: stages.onEvent,
})
const signedBurst = await create(burst)
const fast = await profiled('burst', () =>
  measure(`a burst of ${burst} creations`, burst, () => sendAll(base.node.rpc, signedBurst)),
)
const all = rate * seconds
const signed = await create(all)
await profiled('steady', () =>
  measure(`${rate} creations a second for ${seconds} s`, all, async () => {
    const begun = performance.now()
    const step = 10
    for (let sent = 0; sent < all; sent += rate / step) {
      await pause(Math.max(0, begun + (sent / rate) * 1_000 - performance.now()))
      await sendAll(base.node.rpc, signed.slice(sent, sent + rate / step))
    }
  }),
)
console.log(`throughput relative to one at a time: ${(fast / slow).toFixed(1)} times`)
await watch.stop()
await feed.stop()
await rig.stop()
await Promise.all(proxies.map((one) => one.close()))
process.exit()

async function profiled<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  if (values.profile === undefined) return work()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  const result = await work()
  const { profile } = await session.post('Profiler.stop')
  await writeFile(`${values.profile}.${name}.cpuprofile`, JSON.stringify(profile))
  return result
}

/** @returns anchors per second, from the first creation's block to the last anchor's */
async function measure(what: string, count: number, work: () => Promise<void>): Promise<number> {
  const before = watch.createdAt.size
  await proxy.count()
  statements.take()
  const cpuBefore = await timesNow()
  await work()
  await created(before + count)
  await anchored(before + count)
  const cpu = await timesNow()
  const sent = statements.take()
  const ids = [...watch.createdAt.keys()].slice(before)
  const done = ids.filter((id) => watch.anchoredAt.has(id))
  const times = done.map((id) => at(watch.anchoredAt, id) - at(watch.createdAt, id))
  const begun = Math.min(...done.map((id) => at(watch.createdAt, id)))
  const ended = Math.max(...done.map((id) => at(watch.anchoredAt, id)))
  const perSecond = done.length / ((ended - begun) / 1_000)
  const { exchanges, questions } = await proxy.count()
  const gas = await gasOfAnchors()
  const p95 = findPercentile(times, 0.95)
  console.log(`${what}
  anchored ${done.length} of ${count}; p50 ${seconds1(findPercentile(times, 0.5))}, p95 ${seconds1(p95)} (aim ${seconds1(AIM_P95_MS)}), longest ${seconds1(Math.max(...times))}
  ${perSecond.toFixed(1)} anchors a second; ${(exchanges / done.length).toFixed(2)} exchanges with the node an anchor, ${gas} gas an anchor
  CPU an anchor: ${cpuOfEach(cpuBefore, cpu, done.length)}; load ${loadNow()}
  asked of the source chain, an anchor: ${mostAsked(questions, done.length)}
  statements an anchor: ${(total(sent) / done.length).toFixed(1)}
${stages.table(ids)}`)
  if (values.statements) console.log(listed(sent, done.length))
  return perSecond
}

function timesNow(): Promise<ProcessTimes> {
  return readProcessTimes(rig.client, [base.node.pid, rig.horizen.node.pid])
}

function cpuOfEach(before: ProcessTimes, after: ProcessTimes, count: number): string {
  return Object.entries(after)
    .map(([name, time]) => [name, time - before[name as keyof ProcessTimes]] as const)
    .map(([name, time]) => `${name} ${((time * 1_000) / count).toFixed(1)} ms`)
    .join(', ')
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, one) => sum + one, 0)
}

function listed(counts: ReadonlyMap<string, number>, anchors: number): string {
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 20)
    .map(([text, times]) => `    ${(times / anchors).toFixed(2)} ${text}`)
    .join('\n')
}

function at(times: AnchorWatch['createdAt'], id: bigint): number {
  return times.get(id) as number
}

async function created(count: number): Promise<void> {
  while (watch.createdAt.size < count) await pause(50)
}

async function anchored(count: number): Promise<void> {
  let known = watch.anchoredAt.size
  let since = performance.now()
  while (watch.anchoredAt.size < count && performance.now() - since < TIMEOUT_MS) {
    await pause(100)
    if (watch.anchoredAt.size > known) since = performance.now()
    known = watch.anchoredAt.size
  }
}

/** From the latest anchor's receipt. */
async function gasOfAnchors(): Promise<bigint> {
  const anchors = await base.client.getContractEvents({
    address: base.contracts.bridge,
    abi: bridgeIntentV2Abi,
    eventName: 'IntentAnchored',
    fromBlock: (await base.client.getBlockNumber()) - 5n,
  })
  const last = anchors.at(-1)
  if (!last) return 0n
  const { gasUsed } = await base.client.getTransactionReceipt({ hash: last.transactionHash })
  return gasUsed
}

function mostAsked(questions: Record<string, number>, count: number): string {
  return Object.entries(questions)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 8)
    .map(([method, times]) => `${method} ${(times / count).toFixed(2)}`)
    .join(', ')
}

function seconds1(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`
}

function loadNow(): string {
  return (loadavg()[0] as number).toFixed(1)
}
