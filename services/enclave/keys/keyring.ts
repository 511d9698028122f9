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
  /** What it is derived from. */
  root: Uint8Array
}

/** The keys derived from the roots that are always loaded. */
export type Keyring = {
  /** The newest first. Recipients' keys are derived from these on demand. */
  roots: readonly [Uint8Array, ...Uint8Array[]]
  /** Seals; opens what it sealed. */
  current: SealingKey
  /** Keys by id that open: the current one and those of older roots. */
  byId: ReadonlyMap<Hex, SealingKey>
  /** Pays the relayer's gas. */
  relayer: PrivateKeyAccount
}

/** The keys of these roots. Throws an Error when two roots share a key id, which chance won't do. */
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

/** How a blob names the key that it is sealed to. */
function computeKeyId(publicKey: Uint8Array): Hex {
  return keccak256(publicKey).slice(0, 10) as Hex
}

function deriveAccount(root: Uint8Array, purpose: string): PrivateKeyAccount {
  return privateKeyToAccount(bytesToHex(deriveKey(root, purpose)))
}
