import { headerMatchesHash } from '../proof/headerMatchesHash.ts'
import type { Provider } from './provider.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool } from './rpcPool.ts'

const TIMEOUT_MS = 10_000

type CrossCheck = {
  /** Whether one of them gave a header that hashes to the block's hash: on such a chain all can be checked so. */
  isProven: boolean
  /** Providers that don't have the block yet, or didn't answer. They stay in use. */
  silent: Provider[]
}

/**
 * Asks every provider, the quarantined ones too, for the hash and time of a block deep enough to be final.
 *
 * The hash that most of them give wins; in a tie, that of the provider the operator named first. So does the time,
 * unless a header proves it. The others are quarantined; quarantined providers that agree are readmitted.
 */
export async function crossCheckBlock(
  pool: RpcPool,
  blockNumber: number,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<CrossCheck> {
  const asked = await Promise.all(
    pool.providers.map(async (provider) => ({
      provider,
      vote: provider.resting ? null : await ask(provider, blockNumber, signal),
    })),
  )
  const voters = asked.filter((one): one is Voter => one.vote !== null)
  const hash = majority(voters.map(({ vote }) => vote.hash))
  const ofHash = voters.flatMap(({ vote }) => (vote.hash === hash ? [vote] : []))
  const proven = ofHash.find(({ block }) => headerMatchesHash(block))
  const winner = proven?.says ?? majority(ofHash.map(({ says }) => says))
  const agreeing = voters.filter(({ vote }) => vote.says === winner).map(({ provider }) => provider)
  const names = agreeing.map(({ name }) => name).join(', ')
  for (const { provider, vote } of voters) {
    if (vote.says === winner) continue
    const why = `block ${blockNumber} is ${vote.says} there and ${winner} on ${names}`
    provider.setQuarantine('hash', why)
  }
  if (agreeing.length > 1 || pool.providers.length === 1)
    for (const provider of agreeing) provider.readmit()
  return {
    isProven: proven !== undefined,
    silent: asked.filter(({ vote }) => vote === null).map(({ provider }) => provider),
  }
}

type Vote = {
  block: object
  hash: string
  /** The hash with the block's time. */
  says: string
}

type Voter = { provider: Provider; vote: Vote }

async function ask(
  provider: Provider,
  blockNumber: number,
  signal: AbortSignal | undefined,
): Promise<Vote | null> {
  try {
    const params = [`0x${blockNumber.toString(16)}`, false]
    const request = { method: 'eth_getBlockByNumber', params }
    const [answer] = await provider.send([request], { signal, timeoutMs: TIMEOUT_MS })
    return answer && 'result' in answer ? voteIn(answer.result) : null
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

function voteIn(block: unknown): Vote | null {
  const { hash, timestamp } = (block ?? {}) as { hash?: unknown; timestamp?: unknown }
  if (typeof hash !== 'string' || typeof timestamp !== 'string') return null
  const hashThere = hash.toLowerCase()
  return { block: block as object, hash: hashThere, says: `${hashThere} of ${Number(timestamp)}` }
}

/** The most frequent value; of equally frequent ones, the one that comes first. */
function majority(values: readonly string[]): string | undefined {
  const votes = new Map<string, number>()
  for (const value of values) votes.set(value, (votes.get(value) ?? 0) + 1)
  return [...votes].reduce<[string, number] | undefined>(
    (best, vote) => (best && best[1] >= vote[1] ? best : vote),
    undefined,
  )?.[0]
}
