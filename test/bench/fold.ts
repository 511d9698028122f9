/**
 * How fast raw logs become rows: `npm run bench:fold [-- --events <n>]`.
 *
 * Complete lives of intents (created, anchored with a blob of 512 bytes, three bids, deposit, settlement, and the delivery
 * of an intent from another chain), encoded as a node returns them, then decoded and folded on one core.
 */

import { InMemoryRowStore } from '../../core/rows/inMemoryRowStore.ts'
import { computeStateHash } from '../../core/rows/stateHash.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../src/event/chainEvent.ts'
import { decodeContractLog } from '../../src/event/decodeContractLog.ts'
import { TABLE_NAMES } from '../../src/table/tableShapes.ts'
import { encodeChainLog } from '../unit/event/encodeLog.ts'
import {
  anchor,
  createIntent,
  deposit,
  placeBid,
  setSealingKey,
  settle,
  solve,
  stake,
} from '../unit/projection/model/bridgeModel.ts'
import {
  account,
  listToken,
  type ModelChain,
  type ModelIntent,
  newChain,
  passTime,
} from '../unit/projection/model/chainModel.ts'
import { readOptions } from './readOptions.ts'

const { events: requested } = readOptions(
  `npm run bench:fold -- [options]

  --events <n>    events to fold (default 100000)`,
  { events: { type: 'string', default: '100000' } },
  ['events'],
)
const REQUESTED = Number(requested)
const TOKENS = [account(0x71), account(0x72), account(0x73), account(0x74)]
const ROUNDS = 3

const chain = newChain(84532)
for (const token of TOKENS) listToken(chain, token, 1)
for (let number = 0; chain.events.length < REQUESTED; number++) live(chain, number)
const logs = chain.events.map((event) => ({
  log: encodeChainLog(event, chain.vault),
  point: event.point,
}))

for (let round = 1; round <= ROUNDS; round++) {
  let events: ChainEvent[] = []
  const store = new InMemoryRowStore()
  const decode = time(() => {
    events = logs.map(({ log, point }) => decodeContractLog(chain, log, point) as ChainEvent)
  })
  const project = time(() => {
    for (const event of events) store.fold(event)
  })
  let hash = ''
  const hashing = time(() => {
    const tables = TABLE_NAMES.map((table) => [table, store.rows(table)])
    hash = computeStateHash(Object.fromEntries(tables))
  })
  const both = { wall: decode.wall + project.wall, cpu: decode.cpu + project.cpu }
  process.stdout.write(
    `round ${round}: ${count(events.length)} events, each a second (of CPU time): ` +
      `decode ${rates(decode)}, project ${rates(project)}, decode + project ${rates(both)}; ` +
      `state hash ${Math.round(hashing.wall)} ms (${Math.round(hashing.cpu)}) ${hash.slice(0, 10)}…\n`,
  )
}
const { rss } = process.memoryUsage()
process.stdout.write(`memory ${Math.round(rss / 2 ** 20)} MiB\n`)

type Duration = { wall: number; cpu: number }

/** Wall-clock and CPU milliseconds: on a busy machine only the latter is meaningful. */
function time(work: () => void): Duration {
  const began = performance.now()
  const cpu = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(cpu)
  return { wall: performance.now() - began, cpu: (user + system) / 1000 }
}

function rates({ wall, cpu }: Duration): string {
  const of = (ms: number) => count(Math.round((logs.length * 1000) / ms))
  return `${of(wall)} (${of(cpu)})`
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** One intent from creation to settlement, and one delivery. */
function live(on: ModelChain, number: number): void {
  const tokenA = TOKENS[number % TOKENS.length] as Hex
  const tokenB = TOKENS[(number + 1) % TOKENS.length] as Hex
  const [first, second] = [account(0x60 + (number % 16)), account(0x60 + ((number + 1) % 16))]
  passTime(on, 12)
  for (const solver of [first, second]) {
    if (setSealingKey(on, solver)) for (const token of TOKENS) stake(on, solver, token, 10n ** 20n)
  }
  createIntent(on, {
    sender: account(0x10 + (number % 64)),
    destChainId: 2651420,
    tokenA,
    tokenB,
    amountA: 1_000_000n + BigInt(number),
    expectedAmountB: 900_000n,
    reward: 1_000n,
    duration: 20,
    encryptedBlob: '0x',
  })
  const intent = on.intents.at(-1) as ModelIntent
  anchor(on, intent, { feeBps: 250, recipientClass: 1, blob: account(1, 512) })
  placeBid(on, intent, first, 900_000n)
  placeBid(on, intent, second, 900_001n)
  placeBid(on, intent, first, 900_002n)
  passTime(on, 20)
  deposit(on, intent, first, 900_002n)
  const payments = [{ to: account(0x81), amount: 900_000n }]
  solve(on, {
    sourceChainId: 2651420n,
    intentId: (2651420n << 64n) + BigInt(number + 1),
    paramsHash: intent.paramsHash,
    solver: second,
    tokenB,
    payments,
  })
  settle(on, intent, 1n)
}
