import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../database/openDatabase.ts'

/** The cipher of sealed secrets. Each key encrypts one message, so a fixed nonce is safe. */
export const SEALING = { cipher: 'aes-256-gcm', nonce: Buffer.alloc(12), tagBytes: 16 } as const

/** The PEM public key to which webhook secrets are sealed; null until the push role has run. */
export async function readWebhookKey(db: Db): Promise<{ keyId: string; publicKey: string } | null> {
  const { rows } = await sql<{ keyId: string; publicKey: string }>`
    select key_id as "keyId", public_key as "publicKey" from app.webhook_key`.execute(db)
  return rows[0] ?? null
}

/**
 * Seals a secret to the role `push` with an ephemeral X25519 key, HKDF and AES-GCM, bound to its endpoint.
 *
 * @returns the ephemeral public key (32 bytes), the ciphertext and its tag (16 bytes)
 */
export function sealWebhookSecret(
  publicKey: string,
  endpointId: string,
  secret: Uint8Array,
): Buffer {
  const recipient = createPublicKey(publicKey)
  const ephemeral = generateKeyPairSync('x25519')
  const shared = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient })
  const sender = rawKey(ephemeral.publicKey)
  const key = deriveSecretSealingKey(shared, { sender, recipient: rawKey(recipient), endpointId })
  const cipher = createCipheriv(SEALING.cipher, key, SEALING.nonce)
  return Buffer.concat([sender, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
}

/** Derives the key of one sealed secret from both public keys and the endpoint. */
export function deriveSecretSealingKey(
  shared: Uint8Array,
  { sender, recipient, endpointId }: { sender: Buffer; recipient: Buffer; endpointId: string },
): Uint8Array {
  const salt = Buffer.concat([sender, recipient])
  const info = `cairn webhook secret ${endpointId}`
  return new Uint8Array(hkdfSync('sha256', shared, salt, info, 32))
}

/** The 32 bytes of an X25519 public key. */
export function rawKey(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
}
