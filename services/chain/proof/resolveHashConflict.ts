import { numberToHex } from 'viem'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import type { Provider } from '../rpcPool/provider.ts'
import { requestFromProvider } from './requestFromProvider.ts'

/** The hash on which two providers agree, or which of them has forged one. */
type ResolvedHash =
  | { kind: 'agreed'; hash: string }
  | { kind: 'forged'; forger: Provider; block: number; claimed: string; parent: string }

/**
 * Resolves two providers' conflict about a block's hash, given a block above it on which they agree. A binary search finds the
 * highest block on which they differ; the header of the next block proves that one's hash by its parentHash.
 *
 * @returns null if one doesn't answer, or nothing can be proven
 */
export async function resolveHashConflict(
  [one, other]: readonly [Provider, Provider],
  blockNumber: number,
  above: number,
): Promise<ResolvedHash | null> {
  const hashesAt = (block: number) => Promise.all([hashAt(one, block), hashAt(other, block)])
  let [first, second] = await hashesAt(blockNumber)
  if (first === null || second === null) return null
  if (first === second) return { kind: 'agreed', hash: first }
  let [low, high] = [blockNumber, above]
  const [top, otherTop] = await hashesAt(above)
  if (top === null || top !== otherTop) return null
  let hash = top
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const hashes = await hashesAt(middle)
    if (hashes[0] === null || hashes[1] === null) return null
    if (hashes[0] === hashes[1]) [high, hash] = [middle, hashes[0]]
    else [low, [first, second]] = [middle, hashes]
  }
  const parent = (await parentOf(one, high, hash)) ?? (await parentOf(other, high, hash))
  if (parent === null) return null
  const [forger, claimed] = first === parent ? [other, second as string] : [one, first as string]
  return { kind: 'forged', forger, block: low, claimed, parent }
}

async function hashAt(provider: Provider, block: number): Promise<string | null> {
  const hash = (await headerAt(provider, block))?.hash
  return typeof hash === 'string' ? hash.toLowerCase() : null
}

/** The parent's hash, if this provider's header of the block has the given hash. */
async function parentOf(provider: Provider, block: number, hash: string): Promise<string | null> {
  const answer = await headerAt(provider, block)
  try {
    const header = parseRpcHeader(answer ?? {})
    return hashHeader(header) === hash ? header.parentHash : null
  } catch {
    return null
  }
}

async function headerAt(
  provider: Provider,
  block: number,
): Promise<Record<string, unknown> | null> {
  const answer = requestFromProvider(provider)('eth_getBlockByNumber', [numberToHex(block), false])
  return (await answer.catch(() => null)) as Record<string, unknown> | null
}
