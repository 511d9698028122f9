import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import { type SealedStorage, SealedStorageError } from './sealedStorage.ts'

/**
 * The keys that don't derive from a root and never leave the enclave: created inside, and stored sealed. So backup
 * shares of the root can decrypt, but sign nothing.
 */
export type AttesterKeys = {
  /** Signs attestations. */
  readonly current: PrivateKeyAccount
  /** Created by a rotation and not yet in use. */
  readonly next: PrivateKeyAccount | null
  /** Private transport key to which another enclave seals the roots, 32 bytes. */
  readonly transportKey: Uint8Array
  /** Creates the next key, unless there is one. */
  prepare(): Promise<void>
  /**
   * Starts using the next key, with another transport key: a thief of the former keys can't open a root that this enclave
   * is given later.
   *
   * @throws EnclaveError `NO_NEXT_KEY`
   */
  promote(): Promise<void>
}

const NAME = 'attester'

const privateKey = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .transform((text) => text as Hex)
const storedKeys = z.strictObject({
  current: privateKey,
  next: privateKey.nullable(),
  transport: privateKey,
})

type StoredKeys = z.infer<typeof storedKeys>

/** Loads the keys from this storage, or creates them. */
export async function openAttesterKeys(storage: SealedStorage): Promise<AttesterKeys> {
  const found = await storage.read(NAME)
  let keys = found === null ? generateKeys() : parseKeys(found)
  const save = async (changed: StoredKeys) => {
    await storage.write(NAME, Buffer.from(JSON.stringify(changed)))
    keys = changed
  }
  if (found === null) await save(keys)
  let current = privateKeyToAccount(keys.current)
  return {
    get current() {
      return current
    },
    get next() {
      return keys.next && privateKeyToAccount(keys.next)
    },
    get transportKey() {
      return hexToBytes(keys.transport)
    },
    async prepare() {
      if (keys.next === null) await save({ ...keys, next: generatePrivateKey() })
    },
    async promote() {
      if (keys.next === null) throw new EnclaveError('NO_NEXT_KEY')
      await save({ current: keys.next, next: null, transport: generatePrivateKey() })
      current = privateKeyToAccount(keys.current)
    },
  }
}

/** The attestation key in use, or the next one, created by a rotation. @throws EnclaveError `NO_NEXT_KEY` */
export function requireAttesterKey(attester: AttesterKeys, key: 'current' | 'next' = 'current') {
  const account = attester[key]
  if (account === null) throw new EnclaveError('NO_NEXT_KEY')
  return account
}

/** Public transport key, 65 bytes. */
export function getTransportPublicKey({ transportKey }: AttesterKeys): Hex {
  return bytesToHex(secp256k1.getPublicKey(transportKey, false))
}

function generateKeys(): StoredKeys {
  return { current: generatePrivateKey(), next: null, transport: generatePrivateKey() }
}

function parseKeys(bytes: Uint8Array): StoredKeys {
  try {
    return storedKeys.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    throw new SealedStorageError(
      `the enclave's own keys can't be read: restore them from the machine's backup, or remove "${NAME}" for new ones, which then have to be registered`,
    )
  }
}
