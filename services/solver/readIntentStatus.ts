import { type Address, encodeEventTopics, type Hex, parseEventLogs } from 'viem'
import { unpackIntentId } from '../../core/intent/intentId.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { readDeliveries } from './chain/readDeliveries.ts'
import { readRecentLogs } from './chain/readRecentLogs.ts'
import { readSourceIntents } from './chain/readSourceIntents.ts'
import type { SolverChain } from './chain/solverChain.ts'
import { sameAddress } from './plan/sameAddress.ts'
import type { IntentSnapshot } from './plan/solverSnapshot.ts'

export type NetworkStatus = ReturnType<typeof statusOf> | typeof UNKNOWN

const UNKNOWN = {
  found: false,
  status: null,
  winningSolver: null,
  deposited: false,
  solved: false,
  completed: false,
}

/**
 * An intent's status on each network. The source chain knows the intent, the destination only its delivery.
 *
 * @param ownKey loads the key of our own delivery, if there is one
 */
export async function readIntentStatus(
  chains: readonly SolverChain[],
  intentId: bigint,
  ownKey: () => Promise<Hex | null>,
): Promise<Record<string, NetworkStatus>> {
  const source = chains.find(({ chainId }) => chainId === sourceOf(intentId))
  const intent = source && (await readIntent(source, intentId))
  const winner = intent && intent.fillDeadline > 0 ? intent.solver : null
  const destination = chains.find(({ chainId }) => chainId === intent?.destChainId)
  const isSolved =
    intent !== undefined && winner !== null && destination !== undefined
      ? intent.phase === 'settled' || (await isDelivered(destination, winner, intent, ownKey))
      : false
  return Object.fromEntries(
    chains.map((chain) => {
      const isKnown = intent && (chain === source || (chain === destination && isSolved))
      return [chain.name, isKnown ? statusOf(intent, winner, isSolved) : UNKNOWN]
    }),
  )
}

function sourceOf(intentId: bigint): number | null {
  try {
    return unpackIntentId(intentId).chainId
  } catch {
    return null
  }
}

async function readIntent(
  chain: SolverChain,
  intentId: bigint,
): Promise<IntentSnapshot | undefined> {
  const head = await chain.client.getBlockNumber()
  const [intent] = await readSourceIntents(chain, [intentId], head)
  return intent
}

/** Looks for our delivery by its key, and for another solver's, whose recipients we don't know, by a recent event. */
async function isDelivered(
  { client, bridge, ...chain }: SolverChain,
  winner: Address,
  { sourceChainId, intentId, paramsHash }: IntentSnapshot,
  ownKey: () => Promise<Hex | null>,
): Promise<boolean> {
  const head = await client.getBlockNumber()
  const key = await ownKey()
  const [ours = 0n] = await readDeliveries({ client, bridge, ...chain }, key ? [key] : [], head)
  if (ours !== 0n) return true
  const event = {
    abi: bridgeIntentV2Abi,
    eventName: 'IntentSolved',
    args: { sourceChainId: BigInt(sourceChainId), intentId },
  } as const
  const recent = await readRecentLogs({ client, bridge }, encodeEventTopics(event))
  const logs = parseEventLogs({ ...event, logs: recent })
  return logs.some(({ args }) => sameAddress(args.solver, winner) && args.paramsHash === paramsHash)
}

function statusOf(intent: IntentSnapshot, winner: Address | null, solved: boolean) {
  const deposited = winner !== null
  const status = statusName(intent, deposited)
  const completed = intent.phase === 'settled'
  return { found: true, status, winningSolver: winner, deposited, solved, completed }
}

function statusName({ phase }: IntentSnapshot, deposited: boolean) {
  switch (phase) {
    case 'open':
      return 'pending'
    case 'deposited':
      return 'solving'
    case 'settled':
      return 'completed'
    case 'cancelled':
      return 'cancelled'
    case 'refunded':
      return deposited ? 'failed' : 'expired'
  }
}
