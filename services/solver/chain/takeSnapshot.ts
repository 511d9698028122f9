import type { Address, Hex } from 'viem'
import type { LiveTransaction } from '../journal/liveTransactions.ts'
import type { SeenChain, SeenIntent, Snapshot } from '../plan/snapshot.ts'
import { agreedAnswer, agreedBlock } from './agreedAnswer.ts'
import { readDeliveries } from './readDeliveries.ts'
import { readFunds, type SealingPoint } from './readFunds.ts'
import { readSourceIntents } from './readSourceIntents.ts'
import type { SolverChain } from './solverChain.ts'

type SnapshotRequest = {
  chains: readonly SolverChain[]
  account: Address
  /** The account's own. */
  sealingKey: SealingPoint
  /** Tokens to look after, by chain id. */
  tokens: ReadonlyMap<number, readonly Address[]>
  /** Intents to look at. */
  intents: readonly IntentRequest[]
  /** Read before this is called. */
  transactions: readonly LiveTransaction[]
  /** Called with what keeps a chain from answering. */
  onTrouble: (chain: SolverChain, error: unknown) => void
}

export type IntentRequest = {
  sourceChainId: number
  intentId: bigint
  /** Our delivery's key; none while we don't know whom to pay. */
  deliveryKey?: Hex | null
}

type Look = { chain: SolverChain; seen: SeenChain; intents: SeenIntent[] }

/** Each chain at one block, as most of its nodes show it: balances, intents and deliveries of exactly that block. */
export async function takeSnapshot(requested: SnapshotRequest): Promise<Snapshot> {
  const looks = new Map<number, Look>()
  await Promise.all(
    requested.chains.map((chain) =>
      lookAt(chain, requested).then(
        (look) => void looks.set(chain.chainId, look),
        (error: unknown) => requested.onTrouble(chain, error),
      ),
    ),
  )
  const found = [...looks.values()]
  const intents = found.flatMap((look) => look.intents)
  const completed = await completeIntents(intents, looks, requested)
  return {
    solver: requested.account,
    chains: new Map(found.map(({ seen }) => [seen.chainId, seen])),
    intents: completed.intents,
    underWay: requested.transactions.filter(({ onChainId, blockNumber }) => {
      const shown = looks.get(onChainId)?.seen.blockNumber
      return blockNumber === null || shown === undefined || BigInt(blockNumber) > shown
    }),
    isWhole: found.length === requested.chains.length && completed.isWhole,
  }
}

async function lookAt(chain: SolverChain, requested: SnapshotRequest): Promise<Look> {
  const { chainId } = chain
  const [block, terms] = await Promise.all([agreedBlock(chain), chain.terms()])
  const ids = requested.intents
    .filter(({ sourceChainId }) => sourceChainId === chainId)
    .map(({ intentId }) => intentId)
  const tokens = requested.tokens.get(chainId) ?? []
  const { account, sealingKey } = requested
  const [funds, intents, blockSeconds] = await Promise.all([
    agreedAnswer(chain, (at) => readFunds(at, account, sealingKey, tokens, block.number)),
    agreedAnswer(chain, (at) => readSourceIntents(at, ids, block.number)),
    chain.blockSeconds(block),
  ])
  const time = Number(block.timestamp)
  const { pickupWindow, executionWindow } = terms
  const at = { blockNumber: block.number, time, blockSeconds }
  const seen = { chainId, pickupWindow, executionWindow, ...at, ...funds }
  return { chain, seen, intents }
}

type Completed = { intents: SeenIntent[]; isWhole: boolean }

/**
 * Adds what only older blocks and the destination chains show. Only an intent that needs a chain which doesn't
 * answer is left out: it must not make us miss deadlines on the others.
 */
async function completeIntents(
  intents: readonly SeenIntent[],
  looks: ReadonlyMap<number, Look>,
  requested: SnapshotRequest,
): Promise<Completed> {
  const parts = await Promise.all(
    [...looks.values()].map(async (look) => {
      const own = intents.filter(({ sourceChainId }) => sourceChainId === look.chain.chainId)
      const coming = intents.filter(
        ({ destChainId, phase, solver }) =>
          destChainId === look.chain.chainId &&
          phase === 'deposited' &&
          solver === requested.account,
      )
      try {
        return {
          chainId: look.chain.chainId,
          deep: await deepOf(look, own),
          deliveries: await deliveriesOf(look, coming, requested),
        }
      } catch (error) {
        requested.onTrouble(look.chain, error)
        return null
      }
    }),
  )
  const answered = parts.filter((part) => part !== null)
  const known = new Set(answered.map(({ chainId }) => chainId))
  const deep = new Set(answered.flatMap((part) => [...part.deep]))
  const deliveries = new Map(answered.flatMap((part) => [...part.deliveries]))
  const completed = intents
    .filter(
      ({ sourceChainId, destChainId, phase }) =>
        known.has(sourceChainId) && (known.has(destChainId) || phase === 'open'),
    )
    .map((intent) => ({
      ...intent,
      isDeep: deep.has(intent),
      delivery: deliveries.get(intent) ?? null,
    }))
  return { intents: completed, isWhole: answered.length === parts.length }
}

/**
 * Those that had the same state so many blocks ago: open ones the same terms, others the same phase and
 * solver.
 */
async function deepOf(
  { chain, seen }: Look,
  intents: readonly SeenIntent[],
): Promise<Set<SeenIntent>> {
  const blockNumber = deepBlock(chain, seen)
  if (blockNumber === null || intents.length === 0) return new Set()
  const ids = intents.map(({ intentId }) => intentId)
  const before = await agreedAnswer(chain, (at) => readSourceIntents(at, ids, blockNumber))
  const byId = new Map(before.map((intent) => [intent.intentId, intent]))
  return new Set(
    intents.filter((intent) => {
      const then = byId.get(intent.intentId)
      if (then?.phase !== intent.phase || then.paramsHash !== intent.paramsHash) return false
      return intent.phase === 'open' || then.solver === intent.solver
    }),
  )
}

async function deliveriesOf(
  { chain, seen }: Look,
  intents: readonly SeenIntent[],
  requested: SnapshotRequest,
): Promise<Map<SeenIntent, NonNullable<SeenIntent['delivery']>>> {
  const known = intents.flatMap((intent) => {
    const key = requested.intents.find(
      ({ sourceChainId, intentId }) =>
        sourceChainId === intent.sourceChainId && intentId === intent.intentId,
    )?.deliveryKey
    return key ? [{ intent, key }] : []
  })
  const keys = known.map(({ key }) => key)
  const blockNumber = deepBlock(chain, seen)
  const [now, before] = await Promise.all([
    agreedAnswer(chain, (at) => readDeliveries(at, keys, seen.blockNumber)),
    blockNumber === null ? [] : agreedAnswer(chain, (at) => readDeliveries(at, keys, blockNumber)),
  ])
  return new Map(
    known.flatMap(({ intent }, position) => {
      const chain2IntentId = now[position] ?? 0n
      const isDeep = before[position] === chain2IntentId
      return chain2IntentId === 0n ? [] : [[intent, { chain2IntentId, isDeep }] as const]
    }),
  )
}

function deepBlock({ confirmations }: SolverChain, { blockNumber }: SeenChain): bigint | null {
  const block = blockNumber - BigInt(confirmations)
  return block < 0n ? null : block
}
