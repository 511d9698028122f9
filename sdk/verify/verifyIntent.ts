import type { PublicClient } from 'viem'
import { ProofError } from '../../core/proof/proofError.ts'
import { type CairnChain, CairnError, RelayerError } from '../index.ts'
import type { VerifiedIntent } from './verifiedIntent.ts'
import { verifyProof } from './verifyProof.ts'

export type VerifyOptions = {
  /** The relayer's URL, without a trailing slash. It isn't trusted. */
  baseUrl: string
  /**
   * The bridges you trust, and nodes that confirm blocks. Without a `publicClient`, a chain's blocks stay `unconfirmed`.
   */
  chains: readonly Pick<CairnChain, 'chainId' | 'bridge' | 'publicClient'>[]
  /** Timeout per page in milliseconds; default 30,000, because proofs take long to generate. */
  requestTimeoutMs?: number
}

/** Maximum number of pages, of 128 events each. */
const MOST_PAGES = 100

/**
 * Fetches an intent's proof from a relayer and verifies it: offline, against your bridges, and its blocks against your nodes.
 *
 * @throws ProofError when it is false; CairnError `NOT_CANONICAL` when your node has another block,
 *   `RPC_UNREACHABLE`; RelayerError
 */
export async function verifyIntent(
  intentId: bigint,
  { baseUrl, chains, requestTimeoutMs = 30_000 }: VerifyOptions,
): Promise<VerifiedIntent> {
  const verified = await verifyProof(await fetchPages(baseUrl, intentId, requestTimeoutMs))
  if (verified.intentId !== intentId) {
    const words = `the relayer answered with a proof of intent ${verified.intentId}`
    throw new ProofError('EVENT_OF_ANOTHER_INTENT', words)
  }
  for (const { chainId, address } of verified.bridges) {
    const trusted = chains.find((chain) => chain.chainId === chainId)?.bridge
    if (trusted?.toLowerCase() === address) continue
    const words = `the events of chain ${chainId} are from ${address}, not from a bridge that you named`
    throw new ProofError('LOG_OF_ANOTHER_CONTRACT', words)
  }
  const clients = new Map(chains.map(({ chainId, publicClient }) => [chainId, publicClient]))
  const unconfirmed: VerifiedIntent['unconfirmed'] = []
  for (const block of verified.unconfirmed) {
    const client = clients.get(block.chainId)
    if (client === undefined) unconfirmed.push(block)
    else await confirm(client, block)
  }
  return { ...verified, unconfirmed }
}

async function confirm(
  client: PublicClient,
  { chainId, blockNumber, blockHash }: VerifiedIntent['unconfirmed'][number],
): Promise<void> {
  const { hash } = await client
    .getBlock({ blockNumber: BigInt(blockNumber) })
    .catch((cause: unknown) => {
      const words = `the node of chain ${chainId} doesn’t give block ${blockNumber}`
      throw new CairnError('RPC_UNREACHABLE', words, { cause })
    })
  if (hash === blockHash) return
  const words = `block ${blockNumber} of chain ${chainId} is ${hash}, not ${blockHash}`
  throw new CairnError('NOT_CANONICAL', words, { details: { chainId, blockNumber } })
}

async function fetchPages(baseUrl: string, intentId: bigint, timeoutMs: number): Promise<string[]> {
  const pages: string[] = []
  let cursor: string | null = null
  do {
    const url: URL = new URL(`${baseUrl}/intents/${intentId}/proof`)
    if (cursor !== null) url.searchParams.set('cursor', cursor)
    const text = await fetchText(url, timeoutMs)
    pages.push(text)
    cursor = nextOf(text)
  } while (cursor !== null && pages.length < MOST_PAGES)
  return pages
}

/** The next page's cursor, unchecked: a missing page is detected later. */
function nextOf(text: string): string | null {
  try {
    const { next } = (JSON.parse(text) as { page: { next: unknown } }).page
    return typeof next === 'string' ? next : null
  } catch {
    return null
  }
}

async function fetchText(url: URL, timeoutMs: number): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { signal }).catch((cause: unknown) => {
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
    const code = isTimeout ? 'REQUEST_TIMEOUT' : 'TACHYON_API_UNREACHABLE'
    throw new RelayerError({ code, message: 'the relayer did not answer', status: 0 }, { cause })
  })
  const text = await response.text()
  if (response.ok) return text
  const { error, code } = parsed(text)
  throw new RelayerError({
    ...{ code: String(code ?? 'UNKNOWN'), status: response.status },
    message: String(error ?? 'no reason was given'),
  })
}

function parsed(text: string): { error?: unknown; code?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
