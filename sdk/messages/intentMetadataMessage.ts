import { keccak256, stringToHex } from 'viem'

/** What a sender stores with an intent. */
export type IntentMetadata = {
  metadata: Record<string, string>
  /** Accounts that may read the intent's private details once it is settled. */
  viewers: readonly string[]
}

/**
 * What an intent's sender signs to store metadata and viewers: `X-Sender-Signature`. It contains them as the hash of
 * `JSON.stringify([[[key, value], …], viewers])`, with the pairs in the order of their keys' UTF-16 code units and the
 * viewers in lower case, in the order sent.
 */
export function intentMetadataMessage(
  intentId: bigint,
  sourceChainId: number,
  { metadata, viewers }: IntentMetadata,
): string {
  const pairs = Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify([pairs, viewers.map((viewer) => viewer.toLowerCase())])
  return `INTENT_METADATA:${intentId}:${sourceChainId}:${keccak256(stringToHex(text))}`
}
