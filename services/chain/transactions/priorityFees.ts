import { numberToHex, type PublicClient } from 'viem'
import { StaleWhileRevalidate } from '../../store/cache/staleWhileRevalidate.ts'
import { findLowerMedian, findUpperMedian } from './medianAndMajority.ts'
import { createQueryAllProviders } from './queryAllProviders.ts'

/** One provider's priority fees, in wei per gas. */
type FeeReport = {
  /** What it recommends. */
  suggested: bigint
  /** What its latest blocks paid, at least one gwei; null if it doesn't know. */
  paid: bigint | null
}

/** Priority fees to offer, in wei per gas. */
export type PriorityFees = {
  /** For a first version. */
  standard: bigint
  /** For one that replaces a version left out of blocks. */
  replacement: bigint
}

/** Offered if no provider has ever answered; also the minimum for what blocks paid, since empty blocks paid nothing. */
const ONE_GWEI = 1_000_000_000n

/** Ignores the top tenth of a block's gas, so that one hurried stranger doesn't set the price. */
const PERCENTILE = 90

const BLOCKS = 10

/** Milliseconds for which an answer is fresh, and for which it may be used while it is renewed. */
const LIFE = { freshFor: 10_000, keptFor: 60_000 }

/**
 * For a first version: the lower median of the recommendations, each capped at what the provider's blocks paid, so that one
 * provider can't make it expensive. For a replacement: the upper median, so that one provider can't keep it too cheap.
 */
export function choosePriorityFees(reports: readonly FeeReport[]): PriorityFees {
  if (reports.length === 0) return { standard: ONE_GWEI, replacement: ONE_GWEI }
  return {
    standard: findLowerMedian(
      reports.map(({ suggested, paid }) => (paid === null ? suggested : least(suggested, paid))),
    ),
    replacement: findUpperMedian(reports.map(({ suggested }) => suggested)),
  }
}

/**
 * Queries every provider, at most every ten seconds. While none answers, the latest fees count: on rollups, one gwei is a
 * hundred times the usual.
 */
export function createPriorityFeeReader(
  clients: readonly Pick<PublicClient, 'request'>[],
): () => Promise<PriorityFees> {
  const cached = new StaleWhileRevalidate<PriorityFees>(LIFE)
  const queryAll = createQueryAllProviders(clients)
  let latest = choosePriorityFees([])
  const read = async () => {
    const reports = await queryAll(readFees).catch(() => [])
    if (reports.length > 0) latest = choosePriorityFees(reports)
    return latest
  }
  return async () => (await cached.get(read)).value
}

async function readFees(client: Pick<PublicClient, 'request'>): Promise<FeeReport> {
  const [suggested, paid] = await Promise.all([
    client.request({ method: 'eth_maxPriorityFeePerGas' }).then(quantity),
    highestPaid(client).catch(() => null),
  ])
  return { suggested, paid }
}

async function highestPaid(client: Pick<PublicClient, 'request'>): Promise<bigint> {
  const history = await client.request({
    method: 'eth_feeHistory',
    params: [numberToHex(BLOCKS), 'latest', [PERCENTILE]],
  })
  const rewards = (history.reward ?? []).map(([reward]) => quantity(reward))
  return rewards.reduce((most, reward) => (reward > most ? reward : most), ONE_GWEI)
}

/** @throws TypeError for anything but a hex quantity, such as a negative number */
function quantity(answer: unknown): bigint {
  if (typeof answer === 'string' && /^0x[\da-f]+$/i.test(answer)) return BigInt(answer)
  throw new TypeError('a node’s fee is not a quantity')
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
