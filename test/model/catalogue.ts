import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hashMessage, keccak256, stringToHex, zeroHash } from 'viem'
import type { BundleIntent } from '../../core/recipientBundle/findEffectiveBundle.ts'
import { hashBlobs } from '../../core/recipientBundle/hashBlobs.ts'
import { storeRecipientsMessage } from '../../core/recipientBundle/storeRecipientsMessage.ts'
import type { BlobPlaintext } from '../../core/recoveryBlob/plaintextFormat.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { paramsHash } from '../../src/event/paramsHash.ts'
import type { Deployment } from './deployment.ts'

/** Key ids of sealing keys: the current root's, the next root's, and one that belongs to no enclave. */
export const KEY_ID = { old: '0xaaaaaaaa', new: '0xbbbbbbbb', nobody: '0xcccccccc' } as const

export const ALICE: Hex = `0x${'a1'.repeat(20)}`
/** May register as a wallet. */
export const BOB: Hex = `0x${'b0'.repeat(20)}`
export const THIEF: Hex = `0x${'66'.repeat(20)}`
const ZERO: Hex = `0x${'00'.repeat(20)}`

/** Base units of tokenB per recipient. */
const EACH = 10n

/**
 * Ways to create the intent under test: its sender, and the recipients in its creation blob. After a reorg, its id may
 * belong to another sender's intent.
 */
export const CREATIONS = {
  bare: { by: 'sender', names: null },
  alice: { by: 'sender', names: [ALICE] },
  wallet: { by: 'sender', names: [BOB] },
  zero: { by: 'sender', names: [ZERO] },
  crowd: { by: 'sender', names: Array<Hex>(201).fill(ALICE) },
  thief: { by: 'thief', names: [THIEF] },
} as const satisfies Record<string, { by: 'sender' | 'thief'; names: readonly Hex[] | null }>

export type CreationName = keyof typeof CREATIONS

/** A blob and its contents; `bytes` stands for what is on chain. */
type Blob = { id: number; bytes: Hex; keyId: Hex | null; contents: BlobPlaintext | null }

/** The empty blob, which an anchor may carry. */
export const EMPTY = 0

/** A blob on chain with its kind. */
export type BlobAt = { kind: number; blob: number }

export type Catalogue = ReturnType<typeof createCatalogue>

/** Blobs, naming messages and addresses of one deployment, each created once. */
export function createCatalogue(deployment: Deployment) {
  const blobs: Blob[] = [{ id: EMPTY, bytes: '0x', keyId: null, contents: null }]
  const known = new Map<string, number>()
  const terms = new Map<string, ReturnType<typeof buildTerms>>()
  const folds = new Map<string, Hex>()
  const { sourceChainId, bridge, intentId } = deployment

  function buildTerms(name: CreationName) {
    const { by } = CREATIONS[name]
    const expectedAmountB =
      deployment.expectedAmountB + BigInt(Object.keys(CREATIONS).indexOf(name))
    const sender = deployment[by].address
    const { tokenA, tokenB, amountA, reward, destChainId, auctionDuration } = deployment
    const created = { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId }
    const all = { chainId: sourceChainId, bridge, user: sender, ...created, auctionDuration }
    return { ...all, sender, paramsHash: paramsHash(all) }
  }

  const catalogue = {
    deployment,
    deliveryKeys: new Map<string, Hex>(),
    blob(keyId: Hex, contents: BlobPlaintext | null): number {
      const text = `${keyId} ${toCanonicalText(contents)}`
      const found = known.get(text)
      if (found !== undefined) return found
      const id = blobs.length
      blobs.push({ id, bytes: bytesFor(text), keyId, contents })
      known.set(text, id)
      return id
    },
    at: (id: number): Blob => blobs[id]!,
    /** The creation's blob; null where it has none. */
    creationBlob(name: CreationName): number | null {
      const { names } = CREATIONS[name]
      return names && catalogue.blob(KEY_ID.old, catalogue.naming(name, names))
    },
    terms(name: CreationName) {
      const found = terms.get(name) ?? buildTerms(name)
      terms.set(name, found)
      return found
    },
    /** The intent as the decision functions take it. */
    intent(name: CreationName, recipientClass: number, mode: 'strict' | 'compat'): BundleIntent {
      const { sender, paramsHash: hash, expectedAmountB, tokenB } = catalogue.terms(name)
      return {
        sourceChainId,
        bridge,
        sender,
        intentId,
        paramsHash: hash,
        recipientClass,
        mode,
        expectedAmountB,
        tokenB,
        destinationBridge: deployment.destinationBridge,
      }
    },
    /** A bundle that names these recipients for an intent, signed by its sender or unsigned. */
    naming(
      name: CreationName,
      recipients: readonly Hex[],
      more: { n?: number; isSigned?: boolean; registered?: readonly number[] } = {},
    ): BlobPlaintext {
      const { n = 0, isSigned = false, registered = [] } = more
      const { sender, paramsHash: hash } = catalogue.terms(name)
      const contents: BlobPlaintext = {
        sourceChainId,
        bridge,
        user: sender,
        paramsHash: hash,
        n,
        salt: zeroHash,
        recipients: [...recipients],
        amounts: recipients.map(() => EACH),
        createdAt: 1,
        registered: registered.map((position) => ({ position, isContract: false })),
      }
      const { privateKey } = deployment[CREATIONS[name].by]
      const about = { ...contents, intentId }
      return isSigned
        ? { ...contents, signature: sign(storeRecipientsMessage(about), privateKey) }
        : contents
    },
    /** The Safe that stands for a registered wallet: different under each root and for each payment. */
    safe: (wallet: Hex, keyId: Hex, index: number): Hex =>
      `0x5afe${keccak256(stringToHex(`${wallet} ${keyId} ${index}`)).slice(-36)}`,
    /** The contract's commitment to these blobs. */
    fold(list: readonly BlobAt[]): Hex {
      const text = list.map(({ kind, blob }) => `${kind}.${blob}`).join()
      const found = folds.get(text) ?? hashBlobs(list.map(bytesAt))
      folds.set(text, found)
      return found
    },
  }

  function bytesAt({ kind, blob }: BlobAt) {
    return { kind, blob: new Uint8Array(Buffer.from(blobs[blob]!.bytes.slice(2), 'hex')) }
  }

  return catalogue
}

/** Pads text to one block of 512 bytes, so that it fits a creation's calldata. */
function bytesFor(text: string): Hex {
  return `0x0101${keccak256(stringToHex(text))
    .slice(2)
    .repeat(16)
    .slice(0, 2 * 510)}`
}

/** Canonical text: equal values give equal text. */
export function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))
}

function sign(message: string, key: Hex): Hex {
  const bytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex')
  const options = { prehash: false, format: 'recovered' } as const
  const recovered = secp256k1.sign(bytes(hashMessage(message)), bytes(key), options)
  const signature = Buffer.concat([recovered.subarray(1), Buffer.from([27 + recovered[0]!])])
  return `0x${signature.toString('hex')}`
}
