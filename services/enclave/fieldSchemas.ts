import { z } from 'zod'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** Maximum bytes of a sender's ciphertext and of a blob. */
const MAX_SEALED_BYTES = 64 * 1024

const text = (pattern: RegExp, words: string, most = 2 + 2 * MAX_SEALED_BYTES) =>
  z
    .string()
    .max(most)
    .regex(pattern, words)
    .transform((value) => value.toLowerCase() as Hex)

const hexText = z.string().max(2 + 2 * MAX_SEALED_BYTES)

/** Any byte string, converted to lower case. */
export const bytes = hexText
  .refine((value) => decoded(value) !== null, 'expected hex bytes')
  .transform((value) => value.toLowerCase() as Hex)

/** Any byte string, decoded. */
export const octets = hexText.transform((value, context): Uint8Array => {
  const result = decoded(value)
  if (result !== null) return result
  context.addIssue({ code: 'custom', message: 'expected hex bytes' })
  return z.NEVER
})

/** Decoding stops at the first non-digit, and is many times faster than a regular expression on long blobs. */
function decoded(value: string): Uint8Array | null {
  if (!value.startsWith('0x') || value.length % 2 !== 0) return null
  const result = Buffer.from(value.slice(2), 'hex')
  return result.length === (value.length - 2) / 2 ? result : null
}

export const bytes32 = text(/^0x[0-9a-fA-F]{64}$/, 'expected 32 bytes')
export const bytes4 = text(/^0x[0-9a-fA-F]{8}$/, 'expected 4 bytes')
export const address = text(/^0x[0-9a-fA-F]{40}$/, 'expected an address')
export const signature = text(/^0x(?:[0-9a-fA-F]{2})+$/, 'expected a signature', 2 + 2 * 16 * 1024)

/** A key's signature. */
export const signature65 = text(/^0x[0-9a-fA-F]{130}$/, 'expected a signature of 65 bytes')

/** A point on the curve: 33 bytes compressed, or 65 uncompressed. */
export const publicKey = text(
  /^0x(?:0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/,
  'expected a public key',
)

export const chainId = z.int().min(1)
const blockNumber = z.int().min(0)

/** A 32-bit unsigned integer. */
export const unixSeconds = z.int().min(0).max(0xff_ff_ff_ff)

/** An unsigned integer of this many bits: a bigint, or decimal text on the wire. */
const unsigned = (bits: bigint) =>
  z
    .union([z.bigint(), z.string().regex(/^\d{1,78}$/)])
    .transform((value) => BigInt(value))
    .refine(
      (value) => value >= 0n && value < 1n << bits,
      `expected an unsigned number of ${bits} bits`,
    )

export const uint256 = unsigned(256n)
/** Amounts of tokenB, up to the bridge's limit. */
export const uint96 = unsigned(96n)

export const metadata = z.record(z.string(), z.string())

/** The empty request. */
export const none = z.strictObject({})

/** A signature by one of the enclave's keys, and its signer. */
export const signed = {
  /** EIP-712, 65 bytes. */
  signature: signature65,
  signer: address,
}

const trieNodes = z.array(octets).max(64)

/** A node's `eth_getProof` answer for one contract at one block. */
export const storageEvidence = z.strictObject({
  blockNumber,
  accountProof: trieNodes,
  storageProofs: z.array(z.strictObject({ slot: bytes32, proof: trieNodes })).max(64),
})

/** An EIP-1559 transaction without value. */
export const transaction = z.strictObject({
  chainId,
  nonce: z.int().min(0),
  to: address,
  data: bytes,
  gas: uint256,
  maxFeePerGas: uint256,
  maxPriorityFeePerGas: uint256,
})

export const signedTransaction = z.strictObject({
  /** Ready for `eth_sendRawTransaction`. */
  serialized: bytes,
  hash: bytes32,
  from: address,
})
