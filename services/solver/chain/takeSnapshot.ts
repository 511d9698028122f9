import type { Address, Hex } from 'viem'
import { hasChainStalled } from '../../chain/hasChainStalled.ts'
import type { LoadedTransaction } from '../journal/transactionJournal.ts'
import type { ChainSnapshot, IntentSnapshot, Snapshot } from '../plan/solverSnapshot.ts'
import { noteTip } from './noteTip.ts'
import { type AgreedBlock, readAgreedAnswer, readAgreedBlock } from './readAgreedAnswer.ts'
import { readDeliveries } from './readDeliveries.ts'
import { readFunds, type SealingPoint } from './readFunds.ts'
import { readSourceIntents } from './readSourceIntents.ts'
import type { ChainState, SolverChain } from './solverChain.ts'

type SnapshotRequest = {
  chains: readonly SolverChain[]
  account: Address
  /** The account's own key. */
  sealingKey: SealingPoint
  /** Tokens whose balances and stakes to read, by chain id. */
  tokens: ReadonlyMap<number, readonly Address[]>
  intents: readonly IntentRequest[]
  /** Loaded before the chains are read. */
  transactions: readonly LoadedTransaction[]
  /** Called with the reason if a chain doesn't answer. */
  onTrouble: (chain: SolverChain, error: unknown) => void
}

export type IntentRequest = {
  sourceChainId: number
  intentId: bigint
  /** Our delivery's key; null until we know the recipients. */
  deliveryKey?: Hex | null
}

type ChainReading = { chain: SolverChain; snapshot: ChainSnapshot; intents: IntentSnapshot[] }

/** Balances, intents and deliveries of each chain at one block, as most of its nodes report them. */
export async function takeSnapshot(requested: SnapshotRequest): Promise<Snapshot> {
  const readings = new Map<number, ChainReading>()
  await Promise.all(
    requested.chains.map((chain) =>
      readChain(chain, requested).then(
        (reading) => void readings.set(chain.chainId, reading),
        (error: unknown) => requested.onTrouble(chain, error),
      ),
    ),
  )
  const all = [...readings.values()]
  const intents = all.flatMap((reading) => reading.intents)
  const completed = await completeIntents(intents, readings, requested)
  return {
    solver: requested.account,
    chains: new Map(all.map(({ snapshot }) => [snapshot.chainId, snapshot])),
    intents: completed.intents,
    pending: requested.transactions.filter(({ onChainId, blockNumber }) => {
      const readAt = readings.get(onChainId)?.snapshot.blockNumber
      return blockNumber === null || readAt === undefined || BigInt(blockNumber) > readAt
    }),
    isWhole: all.length === requested.chains.length && completed.isWhole,
  }
}

async function readChain(chain: SolverChain, requested: SnapshotRequest): Promise<ChainReading> {
  const { chainId } = chain
  const [block, terms, { standard: tip }] = await Promise.all([
    readAgreedBlock(chain),
    chain.terms(),
    chain.priorityFees(),
  ])
  const ids = requested.intents
    .filter(({ sourceChainId }) => sourceChainId === chainId)
    .map(({ intentId }) => intentId)
  const [{ funds, intents }, { shortest: blockSeconds, median }] = await Promise.all([
    readStateAt(block, chain, ids, requested),
    chain.blockTimes(block),
  ])
  const time = Number(block.timestamp)
  const { pickupWindow, executionWindow } = terms
  const likelyGasPrice = block.baseFeePerGas + tip
  // As the account's sender does: the base fee may double until a transaction is mined. On some chains most is the tip.
  const gasPrice = likelyGasPrice + block.baseFeePerGas
  const now = performance.now()
  chain.tip = noteTip(chain.tip, block, { monotonic: now, unix: Date.now() })
  const silence = (now - chain.tip.since) / 1_000
  // It may produce no block before the deadline of a delivery that we bid on now, which would cost the bond.
  const isStalled = hasChainStalled(silence, median)
  const clock = estimateClock({ time, silence, blockSeconds, pickupWindow })
  const { gasPriceCap } = chain
  const gas = { gasPrice, likelyGasPrice, gasPriceCap, blockGas: block.gasLimit }
  const at = { blockNumber: block.number, time, clock, blockSeconds, isStalled, ...gas }
  const snapshot = { chainId, pickupWindow, executionWindow, ...at, ...funds }
  return { chain, snapshot, intents }
}

/** Milliseconds after which a block is read again, since a node that was silent may have answered differently. */
const REREAD_MS = 10_000

/** Our funds and the intents at a block. Rounds are more frequent than blocks, so it is read once for a block. */
async function readStateAt(
  block: AgreedBlock,
  chain: SolverChain,
  ids: readonly bigint[],
  { account, sealingKey, tokens }: SnapshotRequest,
): Promise<ChainState> {
  const ofChain = tokens.get(chain.chainId) ?? []
  const request = [block.hash, ofChain, ids].join()
  const { latest } = chain
  if (latest?.request === request && performance.now() < latest.readAt + REREAD_MS)
    return latest.state
  const readAt = performance.now()
  const [funds, intents] = await Promise.all([
    readAgreedAnswer(chain, (at) => readFunds(at, account, sealingKey, ofChain, block.number)),
    readAgreedAnswer(chain, (at) => readSourceIntents(at, ids, block.number)),
  ])
  const state = { funds, intents }
  chain.latest = { request, readAt, state }
  return state
}

type Completed = { intents: IntentSnapshot[]; isWhole: boolean }

/**
 * Adds what only older blocks and the destination chains show. Only an intent that needs a chain which doesn't
 * answer is left out: it must not make us miss deadlines on the others.
 */
async function completeIntents(
  intents: readonly IntentSnapshot[],
  readings: ReadonlyMap<number, ChainReading>,
  requested: SnapshotRequest,
): Promise<Completed> {
  const parts = await Promise.all(
    [...readings.values()].map(async (reading) => {
      const own = intents.filter(({ sourceChainId }) => sourceChainId === reading.chain.chainId)
      const ourWins = intents.filter(
        ({ destChainId, phase, solver }) =>
          destChainId === reading.chain.chainId &&
          phase === 'deposited' &&
          solver === requested.account,
      )
      try {
        return {
          chainId: reading.chain.chainId,
          confirmed: await confirmedOf(reading, own),
          deliveries: await deliveriesOf(reading, ourWins, requested),
        }
      } catch (error) {
        requested.onTrouble(reading.chain, error)
        return null
      }
    }),
  )
  const answered = parts.filter((part) => part !== null)
  const known = new Set(answered.map(({ chainId }) => chainId))
  const confirmed = new Set(answered.flatMap((part) => [...part.confirmed]))
  const deliveries = new Map(answered.flatMap((part) => [...part.deliveries]))
  const completed = intents
    .filter(
      ({ sourceChainId, destChainId, phase }) =>
        known.has(sourceChainId) && (known.has(destChainId) || phase === 'open'),
    )
    .map((intent) => ({
      ...intent,
      isConfirmed: confirmed.has(intent),
      delivery: deliveries.get(intent) ?? null,
    }))
  return { intents: completed, isWhole: answered.length === parts.length }
}

/** Intents that were in the same state `confirmations` blocks ago: the same phase and terms and, once deposited, the same winner. */
async function confirmedOf(
  { chain, snapshot }: ChainReading,
  intents: readonly IntentSnapshot[],
): Promise<Set<IntentSnapshot>> {
  const blockNumber = confirmedBlock(chain, snapshot)
  if (blockNumber === null || intents.length === 0) return new Set()
  const ids = intents.map(({ intentId }) => intentId)
  const before = await readAgreedAnswer(chain, (at) => readSourceIntents(at, ids, blockNumber))
  const byId = new Map(before.map((intent) => [intent.intentId, intent]))
  return new Set(
    intents.filter((intent) => {
      const earlier = byId.get(intent.intentId)
      if (earlier?.phase !== intent.phase || earlier.paramsHash !== intent.paramsHash) return false
      return intent.phase === 'open' || earlier.solver === intent.solver
    }),
  )
}

async function deliveriesOf(
  { chain, snapshot }: ChainReading,
  intents: readonly IntentSnapshot[],
  requested: SnapshotRequest,
): Promise<Map<IntentSnapshot, NonNullable<IntentSnapshot['delivery']>>> {
  const known = intents.flatMap((intent) => {
    const key = requested.intents.find(
      ({ sourceChainId, intentId }) =>
        sourceChainId === intent.sourceChainId && intentId === intent.intentId,
    )?.deliveryKey
    return key ? [{ intent, key }] : []
  })
  const keys = known.map(({ key }) => key)
  const blockNumber = confirmedBlock(chain, snapshot)
  const [now, before] = await Promise.all([
    readAgreedAnswer(chain, (at) => readDeliveries(at, keys, snapshot.blockNumber)),
    blockNumber === null
      ? []
      : readAgreedAnswer(chain, (at) => readDeliveries(at, keys, blockNumber)),
  ])
  return new Map(
    known.flatMap(({ intent }, position) => {
      const chain2IntentId = now[position] ?? 0n
      const isConfirmed = before[position] === chain2IntentId
      return chain2IntentId === 0n ? [] : [[intent, { chain2IntentId, isConfirmed }] as const]
    }),
  )
}

function confirmedBlock(
  { confirmations }: SolverChain,
  { blockNumber }: ChainSnapshot,
): bigint | null {
  const block = blockNumber - BigInt(confirmations)
  return block < 0n ? null : block
}

/** Seconds without a block that are normal where blocks come by themselves. */
const LEAST_SECONDS = 10

type SilentChain = {
  /** Timestamp of the latest block, in unix seconds. */
  time: number
  /** Seconds since that block appeared, as far as the solver knows. */
  silence: number
  blockSeconds: number
  pickupWindow: number
}

/**
 * What a chain's next block would show, in unix seconds: later than its latest block if that came a while ago. Some chains
 * produce a block only when there is a transaction, so their windows open and close without a block that shows it.
 */
export function estimateClock({ time, silence, blockSeconds, pickupWindow }: SilentChain): number {
  // Early enough to deposit within a window.
  const normal = Math.min(Math.max(LEAST_SECONDS, 2 * blockSeconds), pickupWindow / 2)
  return silence > normal ? time + Math.floor(silence) : time
}
