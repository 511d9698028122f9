import { numberToHex, type PublicClient } from 'viem'
import { StaleWhileRevalidate } from '../../store/cache/staleWhileRevalidate.ts'
import { lowerMedian, upperMedian } from './medians.ts'
import { queryAllOf } from './queryAll.ts'

/** What one provider reports about priority fees, in wei per gas. */
type FeeReport = {
  /** What it recommends. */
  named: bigint
  /** What its latest blocks paid, at least one gwei; null if it doesn't say. */
  paid: bigint | null
}

/** What a transaction offers, in wei per gas. */
export type PriorityFees = {
  /** For a first version. */
  usual: bigint
  /** For one that replaces a version that blocks have passed over. */
  passedOver: bigint
}

/** Offered if no provider answers; also the least that blocks are taken to have paid, since empty ones paid nothing. */
const ONE_GWEI = 1_000_000_000n

/** Ignores the part of a block's gas that paid more than this: one stranger in a hurry is no market. */
const PERCENTILE = 90

const BLOCKS = 10

/** Milliseconds for which an answer is fresh, and for which it may be used while a newer one is fetched. */
const LIFE = { freshFor: 10_000, keptFor: 60_000 }

/**
 * For a first version, the lower median of what providers recommend, each capped at what its own blocks paid: a
 * single provider can't make it expensive. Once blocks have passed a version over, the upper median: a single
 * provider can't keep it too cheap either.
 */
export function choosePriorityFees(reports: readonly FeeReport[]): PriorityFees {
  if (reports.length === 0) return { usual: ONE_GWEI, passedOver: ONE_GWEI }
  return {
    usual: lowerMedian(
      reports.map(({ named, paid }) => (paid === null ? named : least(named, paid))),
    ),
    passedOver: upperMedian(reports.map(({ named }) => named)),
  }
}

/** Asks every provider, at most every ten seconds. */
export function priorityFeesFrom(
  clients: readonly Pick<PublicClient, 'request'>[],
): () => Promise<PriorityFees> {
  const reading = new StaleWhileRevalidate<PriorityFees>(LIFE)
  const queryAll = queryAllOf(clients)
  const read = async () => choosePriorityFees(await queryAll(ask).catch(() => []))
  return async () => (await reading.get(read)).value
}

async function ask(client: Pick<PublicClient, 'request'>): Promise<FeeReport> {
  const [named, paid] = await Promise.all([
    client.request({ method: 'eth_maxPriorityFeePerGas' }).then(quantity),
    mostPaid(client).catch(() => null),
  ])
  return { named, paid }
}

async function mostPaid(client: Pick<PublicClient, 'request'>): Promise<bigint> {
  const history = await client.request({
    method: 'eth_feeHistory',
    params: [numberToHex(BLOCKS), 'latest', [PERCENTILE]],
  })
  const rewards = (history.reward ?? []).map(([reward]) => quantity(reward))
  return rewards.reduce((most, reward) => (reward > most ? reward : most), ONE_GWEI)
}

/** @throws TypeError at anything that isn't one, such as a number below zero */
function quantity(said: unknown): bigint {
  if (typeof said === 'string' && /^0x[\da-f]+$/i.test(said)) return BigInt(said)
  throw new TypeError('a node names a fee that is no quantity')
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
