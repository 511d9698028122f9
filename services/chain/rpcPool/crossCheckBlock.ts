import type { Provider } from './provider.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool } from './rpcPool.ts'

export type CrossCheck = {
  /** Hash that the trusted providers give for the block; undefined when none answered. */
  hash: string | undefined
  agreeing: Provider[]
  /** Providers that don't have the block yet, or didn't answer. They stay in use. */
  silent: Provider[]
  dissenting: Provider[]
}

/**
 * Asks every provider, the quarantined ones too, for the hash of a block deep enough to be final.
 *
 * The hash that most of them give wins; in a tie, that of the provider the operator named first. The others
 * are quarantined; quarantined providers that agree are readmitted.
 */
export async function crossCheckBlock(
  pool: RpcPool,
  blockNumber: number,
  { signal, timeoutMs = 10_000 }: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
): Promise<CrossCheck> {
  const asked = await Promise.all(
    pool.providers.map(async (provider) => ({
      provider,
      hash: provider.resting
        ? undefined
        : await hashOf(provider, blockNumber, { signal, timeoutMs }),
    })),
  )
  const voters = asked.filter(
    (one): one is { provider: Provider; hash: string } => one.hash !== undefined,
  )
  const hash = majority(voters.map((one) => one.hash))
  const agreeing = voters.filter((one) => one.hash === hash).map((one) => one.provider)
  const dissenting = voters.filter((one) => one.hash !== hash)
  for (const { provider, hash: said } of dissenting) {
    provider.setQuarantine(
      'hash',
      `block ${blockNumber} is ${said} there and ${hash} on ${agreeing.map(({ name }) => name).join(', ')}`,
    )
  }
  if (agreeing.length > 1 || pool.providers.length === 1)
    for (const provider of agreeing) provider.readmit()
  return {
    hash,
    agreeing,
    silent: asked.filter((one) => one.hash === undefined).map((one) => one.provider),
    dissenting: dissenting.map((one) => one.provider),
  }
}

async function hashOf(
  provider: Provider,
  blockNumber: number,
  options: { signal?: AbortSignal | undefined; timeoutMs: number },
): Promise<string | undefined> {
  try {
    const params = [`0x${blockNumber.toString(16)}`, false]
    const [answer] = await provider.send([{ method: 'eth_getBlockByNumber', params }], options)
    if (!answer || 'error' in answer) return undefined
    const hash = (answer.result as { hash?: unknown } | null)?.hash
    return typeof hash === 'string' ? hash.toLowerCase() : undefined
  } catch (error) {
    if (error instanceof RpcError) return undefined
    throw error
  }
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
