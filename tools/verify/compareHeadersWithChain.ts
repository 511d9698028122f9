import { createClient } from 'viem'
import { ProofError } from '../../core/proof/proofError.ts'
import type { ProvenEvent } from '../../core/proof/verifyEventProof.ts'
import { createHttpTransport } from '../../services/chain/httpTransport.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** A header isn't shown to be in the canonical chain; exit code 3. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError'
}

/** A node that was to confirm headers doesn't answer; exit code 3 too. */
export class NodeUnreachableError extends Error {
  override readonly name = 'NodeUnreachableError'
}

/** `finalizedBlock` is null if the node names none. */
export type ChainAnswer = { chainId: number; host: string; finalizedBlock: number | null }

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/**
 * Asks a chain's node whether these events' headers are in the canonical chain, and their transactions the proof's.
 *
 * @throws NotCanonicalError; NodeUnreachableError; ProofError `EVENT_MISMATCH` for another transaction
 */
export async function compareHeadersWithChain(
  chainId: number,
  url: string,
  events: readonly ProvenEvent[],
): Promise<ChainAnswer> {
  // Only the host is ever shown: the rest of a URL may hold a key.
  const { host } = new URL(url)
  const ask = createAsk(url, host)
  const answered = Number(await ask('eth_chainId', []))
  if (answered !== chainId) {
    throw new NotCanonicalError(`${host} serves chain ${answered}, not chain ${chainId}`)
  }
  for (const { event, transactionIndex } of events) {
    const { blockNumber, blockHash } = event.point
    await checkHash(ask, host, blockNumber, blockHash)
    await checkTransaction(ask, transactionIndex, event.point)
  }
  return { chainId, host, finalizedBlock: await finalizedBlock(ask) }
}

function createAsk(url: string, host: string): Ask {
  const client = createClient({
    transport: createHttpTransport(url, { timeout: 15_000, retryCount: 1 }),
  })
  return async (method, params) => {
    try {
      return await client.request({ method, params } as never)
    } catch (cause) {
      throw new NodeUnreachableError(
        `${host} doesn't answer: ${method} failed. Check --rpc, or name another node`,
        { cause },
      )
    }
  }
}

async function checkHash(ask: Ask, host: string, number: number, hash: Hex): Promise<void> {
  const block = await ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
  const canonical = (block as { hash?: unknown } | null)?.hash
  if (canonical === hash) return
  // Only hashes are shown: a node could pose as this program's verdict.
  const isHash = /^0x[\da-f]{64}$/i.test(String(canonical))
  throw new NotCanonicalError(
    !isHash
      ? `${host} has no block ${number}`
      : `block ${number} is ${canonical} in the chain of ${host}, not ${hash}`,
  )
}

async function checkTransaction(
  ask: Ask,
  index: number,
  point: { blockHash: Hex; transactionHash: Hex; transactionFrom: Hex },
): Promise<void> {
  const position = `0x${index.toString(16)}`
  const answer = await ask('eth_getTransactionByBlockHashAndIndex', [point.blockHash, position])
  const { hash, from } = (answer ?? {}) as { hash?: unknown; from?: unknown }
  const same =
    String(hash).toLowerCase() === point.transactionHash &&
    String(from).toLowerCase() === point.transactionFrom
  if (same) return
  const found = [hash, from].every((one) => /^0x[\da-f]{40,64}$/i.test(String(one)))
    ? `${hash} by ${from}`
    : 'unknown to the node'
  throw new ProofError(
    'EVENT_MISMATCH',
    `transaction ${index} of block ${point.blockHash} is ${found}, not the one named`,
  )
}

/** Null on a chain without the tag. */
async function finalizedBlock(ask: Ask): Promise<number | null> {
  try {
    const block = await ask('eth_getBlockByNumber', ['finalized', false])
    const number = (block as { number?: unknown } | null)?.number
    return typeof number === 'string' ? Number(number) : null
  } catch {
    return null
  }
}
