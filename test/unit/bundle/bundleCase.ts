import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hashMessage, zeroHash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { BundleIntent, ReadBlob } from '../../../core/recipientBundle/findEffectiveBundle.ts'
import { storeRecipientsMessage } from '../../../core/recipientBundle/storeRecipientsMessage.ts'
import type { BlobPlaintext } from '../../../core/recoveryBlob/plaintextFormat.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const SENDER_KEY: Hex = `0x${'5e'.repeat(32)}`
const SENDER = privateKeyToAccount(SENDER_KEY).address.toLowerCase() as Hex

export const KEY: Hex = '0xaaaaaaaa'
export const OTHER_KEY: Hex = '0xbbbbbbbb'

export const [ALICE, BOB, THIEF]: [Hex, Hex, Hex] = [
  `0x${'a1'.repeat(20)}`,
  `0x${'b0'.repeat(20)}`,
  `0x${'66'.repeat(20)}`,
]

/** An intent for 1,000 of tokenB. Not yet anchored. */
export const INTENT: BundleIntent = {
  sourceChainId: 84_532,
  bridge: `0x${'11'.repeat(20)}`,
  sender: SENDER,
  intentId: (84_532n << 64n) | 7n,
  paramsHash: `0x${'22'.repeat(32)}`,
  recipientClass: 0,
  mode: 'strict',
  expectedAmountB: 1_000n,
  tokenB: `0x${'33'.repeat(20)}`,
  destinationBridge: `0x${'44'.repeat(20)}`,
}

/** The same once it is anchored, for up to eight recipients. */
export const ANCHORED: BundleIntent = { ...INTENT, recipientClass: 8 }

/** Contents that name these recipients, ten of tokenB each. */
export function naming(
  recipients: Hex | readonly Hex[],
  more: Partial<BlobPlaintext> = {},
): BlobPlaintext {
  const all = typeof recipients === 'string' ? [recipients] : [...recipients]
  return {
    sourceChainId: INTENT.sourceChainId,
    bridge: INTENT.bridge,
    user: INTENT.sender,
    paramsHash: INTENT.paramsHash,
    n: 0,
    salt: zeroHash,
    createdAt: 1_700_000_000,
    recipients: all,
    amounts: all.map(() => 10n),
    registered: [],
    ...more,
  }
}

/** The same, with the sender's signature. */
export function signed(contents: BlobPlaintext, by = SENDER_KEY): BlobPlaintext {
  const { intentId, sourceChainId, paramsHash } = INTENT
  const { n, recipients, amounts, salt } = contents
  const about = { intentId, sourceChainId, paramsHash, n, recipients, amounts, salt }
  return { ...contents, signature: sign(hashMessage(storeRecipientsMessage(about)), by) }
}

/** A stranger's key. */
export const THIEF_KEY: Hex = `0x${'77'.repeat(32)}`

const blob =
  (kind: number) =>
  (contents: BlobPlaintext | null, keyId: Hex | null = KEY): ReadBlob => ({ kind, keyId, contents })

export const creation = blob(1)
export const anchor = blob(2)
export const append = blob(3)
export const call = blob(4)
export const emptyAnchor: ReadBlob = { kind: 2, keyId: null, contents: null }

function sign(hash: Hex, key: Hex): Hex {
  const bytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex')
  const recovered = secp256k1.sign(bytes(hash), bytes(key), { prehash: false, format: 'recovered' })
  const signature = Buffer.concat([recovered.subarray(1), Buffer.from([27 + recovered[0]!])])
  return `0x${signature.toString('hex')}`
}
