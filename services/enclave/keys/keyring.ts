import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, keccak256 } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { deriveKey, KEY_PURPOSE } from './deriveKey.ts'

/** An ECIES key pair. */
export type SealingKey = {
  /** First 4 bytes of keccak256 of the uncompressed public key. */
  id: Hex
  /** 65 bytes. */
  publicKey: Uint8Array
  /** 32 bytes. */
  privateKey: Uint8Array
  /** The root that it derives from. */
  root: Uint8Array
}

/** The keys derived from the loaded roots. */
export type Keyring = {
  /** Newest first. Recipients' keys are derived from these on demand. */
  roots: readonly [Uint8Array, ...Uint8Array[]]
  /** Seals new blobs. */
  current: SealingKey
  /** Keys that open blobs, by id: the current one and those of older roots. */
  byId: ReadonlyMap<Hex, SealingKey>
  /** Pays the relayer's gas. */
  relayer: PrivateKeyAccount
}

/** Derives the keys of these roots. @throws Error when two roots share a key id, which doesn't happen by chance */
export function openKeyring(roots: readonly [Uint8Array, ...Uint8Array[]]): Keyring {
  const keys = roots.map(deriveSealingKey)
  const byId = new Map(keys.map((key) => [key.id, key]))
  if (byId.size < keys.length) throw new Error('a root appears twice')
  const [newest] = roots
  return {
    roots,
    current: keys[0]!,
    byId,
    relayer: deriveAccount(newest, KEY_PURPOSE.relayer()),
  }
}

function deriveSealingKey(root: Uint8Array): SealingKey {
  const privateKey = deriveKey(root, KEY_PURPOSE.ecies())
  const publicKey = secp256k1.getPublicKey(privateKey, false)
  return { id: computeKeyId(publicKey), publicKey, privateKey, root }
}

/** A blob's name for the key that it is sealed to. */
function computeKeyId(publicKey: Uint8Array): Hex {
  return keccak256(publicKey).slice(0, 10) as Hex
}

export function deriveAccount(root: Uint8Array, purpose: string): PrivateKeyAccount {
  return privateKeyToAccount(bytesToHex(deriveKey(root, purpose)))
}
