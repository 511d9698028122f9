import { encrypt } from 'eciesjs'
import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem'
import { encodePlaintext } from '../../core/blob/encodePlaintext.ts'
import { joinBlob } from '../../core/blob/layout.ts'
import { blocksFor, paddedBytes, padPlaintext } from '../../core/blob/padPlaintext.ts'
import { type CreateIntentParams, paramsHash } from '../../src/blob/paramsHash.ts'

/** A bundle that is to ride on the creation of its intent. */
export type CreationBundle = {
  sourceChainId: number
  bridge: Hex
  /** The account that will call `createIntent`. */
  user: Hex
  params: CreateIntentParams
  recipients: readonly Hex[]
  /** Base units of tokenB, one for each recipient. */
  amounts: readonly bigint[]
  /** Unix seconds. */
  createdAt: number
}

/**
 * The recovery blob for a creation, to be appended to the call's data: the recipients are then on
 * chain from the start, readable by the relayer alone. Null when they don't fit into one blob of 512
 * bytes: send those with `POST /store-recipients`.
 *
 * @param publicKey the relayer's, of `GET /ecies-pubkey`, 65 bytes
 */
export function sealCreationBlob(publicKey: Hex, bundle: CreationBundle): Hex | null {
  const plaintext = encodePlaintext({
    sourceChainId: bundle.sourceChainId,
    bridge: lower(bundle.bridge),
    user: lower(bundle.user),
    paramsHash: paramsHash(bundle.params),
    createdAt: bundle.createdAt,
    origin: 'blob',
    recipients: bundle.recipients.map(lower),
    amounts: [...bundle.amounts],
  })
  if (blocksFor(plaintext.length) > 1) return null
  const filling = crypto.getRandomValues(new Uint8Array(paddedBytes(1)))
  const key = hexToBytes(publicKey)
  const ciphertext = bytesToHex(encrypt(key, padPlaintext(plaintext, filling)))
  return joinBlob({ keyId: keccak256(key).slice(0, 10) as Hex, ciphertext })
}

function lower(hex: Hex): Hex {
  return hex.toLowerCase() as Hex
}
