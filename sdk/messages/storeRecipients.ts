import { type Hex, keccak256 } from 'viem'

/** What an intent's sender signs to replace the recipients that are stored: `X-Sender-Signature`. */
export function storeRecipientsMessage(
  intentId: bigint,
  sourceChainId: number,
  encryptedData: Hex,
): string {
  return `STORE_RECIPIENTS:${intentId}:${sourceChainId}:${keccak256(encryptedData)}`
}
