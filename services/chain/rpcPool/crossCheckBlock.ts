import { NodesDisagreeError } from '../history/historyErrors.ts'
import { headerMatchesHash } from '../proof/headerMatchesHash.ts'
import { findMostFrequent } from '../transactions/medianAndMajority.ts'
import type { Provider } from './provider.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool } from './rpcPool.ts'

const TIMEOUT_MS = 10_000

type CrossCheck = {
  /** Whether some header hashes to the block's hash, so headers of this chain can be verified. */
  isVerifiable: boolean
  /** Providers that lack the block or didn't answer. They stay in use. */
  silent: Provider[]
}

type CrossCheckOptions = {
  signal?: AbortSignal | undefined
  /** Whether a tie is thrown, instead of believing the provider configured first. */
  refusesTie?: boolean
}

/**
 * Compares every provider's hash and time of a block, including those of quarantined providers.
 *
 * The most frequent hash wins; in a tie, that of the provider configured first. The same holds for the time, unless a
 * header proves it. Providers that disagree are quarantined; quarantined providers that agree are readmitted. Those with
 * false logs have no vote.
 *
 * @throws NodesDisagreeError in a tie, with `refusesTie`
 */
export async function crossCheckBlock(
  pool: RpcPool,
  blockNumber: number,
  { signal, refusesTie = false }: CrossCheckOptions = {},
): Promise<CrossCheck> {
  const polled = await Promise.all(
    pool.providers.map(async (provider) => ({
      provider,
      vote: provider.isBackingOff ? null : await requestVote(provider, blockNumber, signal),
    })),
  )
  const isVoter = (poll: (typeof polled)[number]): poll is Voter =>
    poll.vote !== null && poll.provider.quarantine?.ground !== 'logs'
  const voters = polled.filter(isVoter)
  const hash = findMostFrequent(voters, ({ vote }) => vote.hash)?.vote.hash
  const withHash = voters.flatMap(({ vote }) => (vote.hash === hash ? [vote] : []))
  const proven = withHash.find(({ block }) => headerMatchesHash(block))
  const likeliest = proven ?? findMostFrequent(withHash, (vote) => vote.hashAndTime)
  const winner = likeliest?.hashAndTime
  if (refusesTie) refuseTie(voters, withHash, proven !== undefined, blockNumber)
  const agreeing = voters
    .filter(({ vote }) => vote.hashAndTime === winner)
    .map(({ provider }) => provider)
  const names = agreeing.map(({ name }) => name).join(', ')
  for (const { provider, vote } of voters) {
    if (vote.hashAndTime === winner) continue
    const reason = `block ${blockNumber} is ${vote.hashAndTime} there and ${winner} on ${names}`
    provider.setQuarantine('hash', reason)
  }
  const eligible = pool.providers.filter(({ quarantine }) => quarantine?.ground !== 'logs')
  if (agreeing.length > 1 || eligible.length === 1)
    for (const provider of agreeing) provider.readmit()
  return {
    isVerifiable: proven !== undefined,
    silent: polled.filter(({ vote }) => vote === null).map(({ provider }) => provider),
  }
}

type Vote = {
  block: object
  hash: string
  hashAndTime: string
}

type Voter = { provider: Provider; vote: Vote }

async function requestVote(
  provider: Provider,
  blockNumber: number,
  signal: AbortSignal | undefined,
): Promise<Vote | null> {
  try {
    const params = [`0x${blockNumber.toString(16)}`, false]
    const request = { method: 'eth_getBlockByNumber', params }
    const [answer] = await provider.send([request], { signal, timeoutMs: TIMEOUT_MS })
    return answer && 'result' in answer ? parseVote(answer.result) : null
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

function parseVote(block: unknown): Vote | null {
  const { hash, timestamp } = (block ?? {}) as { hash?: unknown; timestamp?: unknown }
  if (typeof hash !== 'string' || typeof timestamp !== 'string') return null
  const lowerCase = hash.toLowerCase()
  const hashAndTime = `${lowerCase} of ${Number(timestamp)}`
  return { block: block as object, hash: lowerCase, hashAndTime }
}

/** @throws NodesDisagreeError when as many trusted providers contradict the winning hash, or unproven time, as have it */
function refuseTie(
  voters: readonly Voter[],
  withHash: readonly Vote[],
  isTimeProven: boolean,
  blockNumber: number,
): void {
  const trusted = voters.filter(({ provider }) => !provider.quarantine)
  const keyOf = ({ vote }: Voter) => (isTimeProven ? vote.hash : vote.hashAndTime)
  const sizes = [...Map.groupBy(trusted, keyOf).values()].map(({ length }) => length)
  const [most = 0, next = 0] = sizes.toSorted((a, b) => b - a)
  if (next < most || withHash.length === 0) return
  const said = trusted.map(({ provider, vote }) => `${vote.hashAndTime} on ${provider.name}`)
  throw new NodesDisagreeError(`block ${blockNumber} is ${said.join(', and ')}`)
}
