import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { isReadableByOthers } from '../../config/isReadableByOthers.ts'
import { OperatorError } from '../../config/operatorError.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { deriveSecretSealingKey, rawKey, SEALING } from '../../store/webhooks/sealWebhookSecret.ts'

/** The key that decrypts the endpoints' secrets. */
export type WebhookDecryptionKey = {
  keyId: string
  publicKey: string
  /** Decrypts a secret. Null if it was sealed to another key or for another endpoint. */
  open(endpointId: string, sealed: Hex): Buffer | null
}

/** Decrypted secrets kept in memory: decrypting one takes 0.1 ms of CPU. */
const CACHE_SIZE = 10_000

/**
 * Reads the key from a file with mode 0600, creating it if missing.
 *
 * @throws OperatorError when the file holds something else, others may read it, or it can’t be read or made
 */
export function loadWebhookDecryptionKey(file: string): WebhookDecryptionKey {
  const privateKey = parseKey(readOrCreate(file))
  if (privateKey?.asymmetricKeyType !== 'x25519')
    throw new OperatorError(
      `${file} holds no X25519 key: name the right file, or one that doesn’t exist yet`,
    )
  const publicKey = createPublicKey(privateKey)
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const opened = new LRUCache<string, { secret: Buffer | null }>({ max: CACHE_SIZE })
  return {
    keyId: createHash('sha256').update(pem).digest('hex').slice(0, 16),
    publicKey: pem,
    open: (endpointId, sealed) => {
      const name = `${endpointId}:${sealed}`
      const cached = opened.get(name)
      if (cached) return cached.secret
      const secret = open(
        privateKey,
        { endpointId, recipient: rawKey(publicKey) },
        Buffer.from(sealed.slice(2), 'hex'),
      )
      opened.set(name, { secret })
      return secret
    },
  }
}

function open(
  privateKey: KeyObject,
  to: { endpointId: string; recipient: Buffer },
  sealed: Buffer,
): Buffer | null {
  const sender = sealed.subarray(0, 32)
  const [secret, tag] = [sealed.subarray(32, -SEALING.tagBytes), sealed.subarray(-SEALING.tagBytes)]
  try {
    const key = { kty: 'OKP', crv: 'X25519', x: sender.toString('base64url') }
    const publicKey = createPublicKey({ key, format: 'jwk' })
    const shared = diffieHellman({ privateKey, publicKey })
    const cipherKey = deriveSecretSealingKey(shared, { sender, ...to })
    const decipher = createDecipheriv(SEALING.cipher, cipherKey, SEALING.nonce)
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(secret), decipher.final()])
  } catch {
    return null
  }
}

function parseKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

function readOrCreate(file: string): string {
  try {
    if (!existsSync(file)) createOnce(file)
    if (!isReadableByOthers(statSync(file))) return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // On a read-only file system, Node says ENOENT of a folder that is missing there.
    throw new OperatorError(
      `PUSH_KEY_FILE (${file}) can't be read or made (${code}): mount or make its folder, check the disk and the owner and mode of file and folder, or name another file`,
    )
  }
  throw new OperatorError(
    `PUSH_KEY_FILE (${file}): others on this machine may read it; run chmod 600 on it`,
  )
}

/**
 * Written to a temporary file and then linked: complete or absent, even on a full disk. Two processes that start together
 * use the same key, since the second can't link.
 */
function createOnce(file: string): void {
  const { privateKey } = generateKeyPairSync('x25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const draft = `${file}.${process.pid}.new`
  try {
    writeFileSync(draft, pem, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (syscall !== 'link') throw error
    // Some file systems, as of network shares, have no links.
    writeFileSync(file, pem, { mode: 0o600, flag: 'wx', flush: true })
  } finally {
    if (existsSync(draft)) rmSync(draft)
  }
}

/** Publishes the key to which the API seals secrets. */
export async function publishKey(
  db: Db,
  { keyId, publicKey }: WebhookDecryptionKey,
): Promise<void> {
  await sql`insert into app.webhook_key (key_id, public_key) values (${keyId}, ${publicKey})
    on conflict (only_one) do update set key_id = excluded.key_id, public_key = excluded.public_key`.execute(
    db,
  )
}

/** Secrets decrypted per turn of the event loop: a few milliseconds of CPU. */
const PER_TURN = 50

/**
 * Decrypts the secrets of active endpoints into the cache, so that the first event after a start isn't delayed.
 *
 * @returns how many it can't decrypt
 */
export async function openSecrets(db: Db, key: WebhookDecryptionKey): Promise<number> {
  const { rows } = await sql<{ endpointId: string; sealed: Hex }>`
    select endpoint_id as "endpointId", sealed_secret as sealed from app.webhook_endpoint
    where status = 'active' order by created_at desc limit ${CACHE_SIZE}`.execute(db)
  let unreadable = 0
  for (const [at, { endpointId, sealed }] of rows.entries()) {
    if (key.open(endpointId, sealed) === null) unreadable += 1
    if (at % PER_TURN === PER_TURN - 1) await turn()
  }
  return unreadable
}
