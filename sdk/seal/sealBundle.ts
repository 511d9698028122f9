import { bytesToHex, type Hex, hexToBytes, stringToBytes } from 'viem'
import { encryptTo } from './encryptTo.ts'

/** What only the winner of the auction may know. Amounts are in base units of tokenB. */
export type Bundle = {
  recipients: readonly Hex[]
  /** One for each recipient. */
  amounts: readonly bigint[]
  /** Written into the bundle, they tie it to one intent. */
  intentId?: bigint
  chainId?: number
  sender?: Hex
  /** What the sender's signature covers besides recipients and amounts: see `storeRecipientsMessage`. */
  n?: number
  salt?: Hex
  metadata?: Record<string, string>
  /** Who else may read the metadata. */
  viewers?: readonly Hex[]
}

/**
 * Encrypts a bundle to the relayer: the `encryptedData` of `POST /store-recipients`.
 *
 * @param publicKey the relayer's, of `GET /ecies-pubkey`
 */
export function sealBundle(publicKey: Hex, { intentId, amounts, ...bundle }: Bundle): Hex {
  const text = JSON.stringify({
    ...bundle,
    amounts: amounts.map(String),
    ...(intentId !== undefined && { intentId: String(intentId) }),
  })
  return bytesToHex(encryptTo(hexToBytes(publicKey), stringToBytes(text)))
}
