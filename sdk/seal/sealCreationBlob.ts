import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem'
import { joinBlob } from '../../core/recoveryBlob/blobLayout.ts'
import {
  countSenderBlocks,
  MAX_RECIPIENTS,
  roundUpBlocks,
  toRecipientClass,
} from '../../core/recoveryBlob/blobSize.ts'
import { encodePlaintext } from '../../core/recoveryBlob/encodePlaintext.ts'
import { countPaddedBytes, padPlaintext } from '../../core/recoveryBlob/padPlaintext.ts'
import { paramsHash } from '../../src/event/paramsHash.ts'
import type { CreateIntentParams } from '../intent/createIntentCall.ts'
import { encryptTo } from './encryptTo.ts'

/** A bundle its sender puts on chain. */
export type CreationBundle = {
  sourceChainId: number
  bridge: Hex
  /** The account that will call `createIntent`. */
  user: Hex
  params: CreateIntentParams
  recipients: readonly Hex[]
  /** Base units of tokenB, one per recipient. */
  amounts: readonly bigint[]
  /** Unix seconds. */
  createdAt: number
  /** For `nameRecipients`: must exceed the last number. Default 0, for the creation. */
  n?: number
  /** For `nameRecipients`. */
  intentId?: bigint
  /** At most 4,096 bytes; readable by the sender and the viewers after settlement. */
  metadata?: Record<string, string> | undefined
  /** Who else may then read the details. */
  viewers?: readonly Hex[] | undefined
}

/**
 * The recovery blob for a creation, to be appended to the call's data, or for `nameRecipients`: it puts the recipients on
 * chain, named by the sender and readable only by the enclaves. Its length reveals their number only up to a power of two;
 * eight fit into 512 bytes.
 *
 * @param publicKey the relayer's key from `GET /ecies-pubkey`, 65 bytes. For `nameRecipients` after the anchor, it must be the key
 *   of the anchor's blob or, if that is empty, of the creation's: otherwise, your blob doesn't count. Blobs under the same key have
 *   the same bytes 3 to 6
 */
export function sealCreationBlob(publicKey: Hex, bundle: CreationBundle): Hex {
  const { sourceChainId, bridge, user, params, recipients, amounts, createdAt } = bundle
  const { n = 0, intentId, metadata, viewers } = bundle
  if (recipients.length > MAX_RECIPIENTS) {
    throw new RangeError(`an intent pays at most ${MAX_RECIPIENTS} recipients`)
  }
  const plaintext = encodePlaintext({
    sourceChainId,
    bridge: lower(bridge),
    user: lower(user),
    paramsHash: paramsHash({ chainId: sourceChainId, bridge, user, ...params }),
    n,
    intentId,
    createdAt,
    recipients: recipients.map(lower),
    amounts: [...amounts],
    salt: bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
    registered: [],
    ...(metadata && { metadata }),
    ...(viewers && { viewers: viewers.map(lower) }),
  })
  const least = countSenderBlocks(toRecipientClass(recipients.length))
  const blocks = roundUpBlocks(plaintext.length, least)
  const filling = crypto.getRandomValues(new Uint8Array(countPaddedBytes(blocks)))
  const key = hexToBytes(publicKey)
  const ciphertext = bytesToHex(encryptTo(key, padPlaintext(plaintext, filling)))
  return joinBlob({ keyId: keccak256(key).slice(0, 10) as Hex, ciphertext })
}

function lower(hex: Hex): Hex {
  return hex.toLowerCase() as Hex
}
