import type { Address } from 'viem'
import { unpackIntentId } from '../../src/intent/id.ts'
import { readDeliveries } from './chain/readDeliveries.ts'
import { readSource } from './chain/readSource.ts'
import type { SolverChain } from './chain/solverChain.ts'
import type { SeenIntent } from './plan/snapshot.ts'
import type { NetworkStatus } from './solverService.ts'

const UNKNOWN: NetworkStatus = {
  found: false,
  status: null,
  winningSolver: null,
  deposited: false,
  solved: false,
  completed: false,
}

/** What each network says of an intent: its source of everything, its destination of the delivery. */
export async function readIntentStatus(
  chains: readonly SolverChain[],
  intentId: bigint,
): Promise<Record<string, NetworkStatus>> {
  const source = chains.find(({ chainId }) => chainId === sourceOf(intentId))
  const intent = source && (await readIntent(source, intentId))
  const winner = intent && intent.fillDeadline > 0 ? intent.solver : null
  const destination = chains.find(({ chainId }) => chainId === intent?.destChainId)
  const isSolved =
    intent !== undefined && winner !== null && destination !== undefined
      ? await isDelivered(destination, winner, intent)
      : false
  return Object.fromEntries(
    chains.map((chain) => {
      const knows = intent && (chain === source || (chain === destination && isSolved))
      return [chain.name, knows ? statusOf(intent, winner, isSolved) : UNKNOWN]
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

async function readIntent(chain: SolverChain, intentId: bigint): Promise<SeenIntent | undefined> {
  const head = await chain.client.getBlockNumber()
  const [intent] = await readSource(chain, [intentId], head)
  return intent
}

async function isDelivered(
  chain: SolverChain,
  winner: Address,
  intent: SeenIntent,
): Promise<boolean> {
  const head = await chain.client.getBlockNumber()
  const [delivery = 0n] = await readDeliveries(chain, winner, [intent], head)
  return delivery !== 0n
}

function statusOf(intent: SeenIntent, winner: Address | null, solved: boolean): NetworkStatus {
  const deposited = winner !== null
  const completed = intent.phase === 'settled'
  return {
    found: true,
    status: wordOf(intent, deposited),
    winningSolver: winner,
    deposited,
    solved,
    completed,
  }
}

function wordOf({ phase }: SeenIntent, deposited: boolean): NetworkStatus['status'] {
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
