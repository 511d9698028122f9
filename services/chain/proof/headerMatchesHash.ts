import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { quickKeccak } from '../../../src/event/quickKeccak.ts'

/** Whether a node's block header hashes to the block's hash, which proves all of its fields. */
export function headerMatchesHash(block: unknown): boolean {
  if (typeof block !== 'object' || block === null) return false
  const { hash } = block as { hash?: unknown }
  try {
    return typeof hash === 'string' && hashOf(block) === hash.toLowerCase()
  } catch {
    return false
  }
}

function hashOf(block: object): string {
  return hashHeader(parseRpcHeader(block as Record<string, unknown>), (bytes) =>
    quickKeccak(`0x${Buffer.from(bytes).toString('hex')}`),
  )
}
