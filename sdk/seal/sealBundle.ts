import { bytesToHex, type Hex, hexToBytes, stringToBytes } from 'viem'
import { encryptTo } from './encryptTo.ts'
import { padToClass } from './padToClass.ts'

/** What only the auction's winner may know. Amounts are in base units of tokenB. */
export type Bundle = {
  recipients: readonly Hex[]
  /** One per recipient. */
  amounts: readonly bigint[]
  /** Ties the bundle to one intent, together with `chainId` and `sender`: required in strict mode. */
  intentId?: bigint
  chainId?: number
  sender?: Hex
  /** Covered by the sender's signature besides recipients and amounts: see `storeRecipientsMessage`. */
  n?: number
  salt?: Hex
  metadata?: Record<string, string>
  /** Who else may read the metadata. */
  viewers?: readonly Hex[]
}

/**
 * Encrypts a bundle to the relayer: the `encryptedData` of `POST /store-recipients`.
 *
 * @param publicKey the relayer's key from `GET /ecies-pubkey`
 */
export function sealBundle(publicKey: Hex, { intentId, amounts, ...bundle }: Bundle): Hex {
  const text = JSON.stringify({
    ...bundle,
    amounts: amounts.map(String),
    ...(intentId !== undefined && { intentId: String(intentId) }),
  })
  const padded = stringToBytes(padToClass(text, amounts.length))
  return bytesToHex(encryptTo(hexToBytes(publicKey), padded))
}
