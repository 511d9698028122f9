import type { Clocks } from '../../core/intent/chainClocks.ts'
import { isByWinner } from '../../core/intent/findWinnersDelivery.ts'
import { deriveStatus, STATUSES, type Status } from '../../core/intent/status.ts'
import { intentName } from '../../services/store/intents/storedIntent.ts'
import type { Delivery, SourceFacts } from '../../src/intent/intentFacts.ts'
import type { Replay } from './replayChain.ts'

/** A chain's intents by status; `undecided` if their destination chain wasn't replayed. */
export type StatusCounts = Record<Status | 'undecided', number>

/** What is kept of a replayed chain until all are replayed: its intents by status where that chain alone decides. */
export type StatusTally = {
  chainId: number
  clock: { timestamp: number; blockNumber: number }
  counts: StatusCounts
  /** Their status also depends on their destination chain. */
  deposited: SourceFacts[]
  deliveries: readonly Delivery[]
}

/** Counts a replayed chain's intents at the replay's last block. */
export function tallyStatuses({ chain: { chainId }, store, block }: Replay): StatusTally {
  const clock = { timestamp: block.timestamp, blockNumber: block.number }
  const clocks = new Map([[chainId, clock]])
  const counts = zeroCounts()
  const deposited: SourceFacts[] = []
  for (const source of store.rows('intent')) {
    if (source.phase === 'deposited') deposited.push(source)
    else counts[deriveStatus({ source, deliveries: [] }, clocks).status] += 1
  }
  return { chainId, clock, counts, deposited, deliveries: store.rows('delivery') }
}

/** Each chain's counts by chain id, every chain at its own last block. */
export function countStatuses(tallies: readonly StatusTally[]): Map<number, StatusCounts> {
  const clocks: Clocks = new Map(tallies.map(({ chainId, clock }) => [chainId, clock]))
  const awaited = new Set(tallies.flatMap(({ deposited }) => deposited.map(intentName)))
  const delivered = new Map<string, Delivery[]>()
  for (const delivery of tallies.flatMap(({ deliveries }) => deliveries)) {
    const name = intentName(delivery)
    if (awaited.has(name)) delivered.set(name, [...(delivered.get(name) ?? []), delivery])
  }
  return new Map(
    tallies.map(({ chainId, counts: decided, deposited }) => {
      const counts = { ...decided }
      for (const source of deposited) {
        const claims = delivered.get(intentName(source)) ?? []
        const deliveries = claims.filter((delivery) => isByWinner(source, delivery))
        const known = clocks.has(source.destChainId)
        counts[known ? deriveStatus({ source, deliveries }, clocks).status : 'undecided'] += 1
      }
      return [chainId, counts]
    }),
  )
}

function zeroCounts(): StatusCounts {
  const words = [...STATUSES, 'undecided'] as const
  return Object.fromEntries(words.map((word) => [word, 0])) as StatusCounts
}
