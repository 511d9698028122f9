import { numberToHex } from 'viem'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { readHeader } from '../../../core/proof/readHeader.ts'
import type { Provider } from '../rpcPool/provider.ts'
import { requestFromProvider } from './requestFromProvider.ts'

/** The hash of a block on which two providers agree, or which of them has made one up. */
type SettledHash =
  | { kind: 'agreed'; hash: string }
  | { kind: 'forged'; forger: Provider; block: number; said: string; parent: string }

/**
 * Finds out a block's hash by two providers that agree on a block above it. If they differ, a forged one is not the parent
 * of the first block on which they agree, whose header hashes to what they agree on.
 *
 * @returns null when one doesn't answer, or when nothing can be proven
 */
export async function resolveHashConflict(
  [one, other]: readonly [Provider, Provider],
  blockNumber: number,
  above: number,
): Promise<SettledHash | null> {
  const hashesAt = (block: number) => Promise.all([hashAt(one, block), hashAt(other, block)])
  let [first, second] = await hashesAt(blockNumber)
  if (first === null || second === null) return null
  if (first === second) return { kind: 'agreed', hash: first }
  let [low, high] = [blockNumber, above]
  const [top, others] = await hashesAt(above)
  if (top === null || top !== others) return null
  let hash = top
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const there = await hashesAt(middle)
    if (there[0] === null || there[1] === null) return null
    if (there[0] === there[1]) [high, hash] = [middle, there[0]]
    else [low, [first, second]] = [middle, there]
  }
  const parent = (await parentOf(one, high, hash)) ?? (await parentOf(other, high, hash))
  if (parent === null) return null
  const [forger, said] = first === parent ? [other, second as string] : [one, first as string]
  return { kind: 'forged', forger, block: low, said, parent }
}

async function hashAt(provider: Provider, block: number): Promise<string | null> {
  const hash = (await headerAt(provider, block))?.hash
  return typeof hash === 'string' ? hash.toLowerCase() : null
}

/** The parent's hash, if this provider's header of the block hashes to what it should. */
async function parentOf(provider: Provider, block: number, hash: string): Promise<string | null> {
  const answer = await headerAt(provider, block)
  try {
    const header = readHeader(answer ?? {})
    return hashHeader(header) === hash ? header.parentHash : null
  } catch {
    return null
  }
}

async function headerAt(
  provider: Provider,
  block: number,
): Promise<Record<string, unknown> | null> {
  const asked = requestFromProvider(provider)('eth_getBlockByNumber', [numberToHex(block), false])
  return (await asked.catch(() => null)) as Record<string, unknown> | null
}
