import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'
import { sealing } from '../../store/webhooks/sealSecret.ts'

/** Opens secrets of endpoints. */
export type SecretKey = {
  keyId: string
  publicKey: string
  /** Null of one that was sealed to another key. */
  open(endpointId: string, sealed: Buffer): Buffer | null
}

/** Secrets that stay open in memory: opening one takes a millisecond of a core. */
const MOST_OPEN = 10_000

/** The key in a file, mode 0600; made there if there is none. */
export function loadSecretKey(file: string): SecretKey {
  const key = createPrivateKey(readOrMake(file))
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  const keyId = createHash('sha256').update(publicKey).digest('hex').slice(0, 16)
  const opened = new Map<string, Buffer | null>()
  return {
    keyId,
    publicKey,
    open: (endpointId, sealed) => {
      const name = `${endpointId}:${sealed.toString('base64')}`
      const known = opened.get(name)
      if (known !== undefined) return known
      const secret = open(key, endpointId, sealed)
      opened.set(name, secret)
      if (opened.size > MOST_OPEN) opened.delete(opened.keys().next().value as string)
      return secret
    },
  }
}

function open(key: KeyObject, endpointId: string, sealed: Buffer): Buffer | null {
  try {
    return privateDecrypt({ key, ...sealing(endpointId) }, sealed)
  } catch {
    return null
  }
}

function readOrMake(file: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  try {
    // Fails where there is one: two that start together use the same.
    writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
    return pem
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileSync(file, 'utf8')
  }
}

/** Tells the API which key to seal to. */
export async function publishKey(db: Db, { keyId, publicKey }: SecretKey): Promise<void> {
  await sql`insert into app.webhook_key (key_id, public_key) values (${keyId}, ${publicKey})
    on conflict (only_one) do update set key_id = excluded.key_id, public_key = excluded.public_key`.execute(
    db,
  )
}
