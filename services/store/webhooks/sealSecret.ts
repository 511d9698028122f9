import { constants, publicEncrypt } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** The public key to which secrets of webhooks are sealed, in PEM; null while the role push has never run. */
export async function webhookKey(db: Db): Promise<{ keyId: string; publicKey: string } | null> {
  const { rows } = await sql<{ keyId: string; publicKey: string }>`
    select key_id as "keyId", public_key as "publicKey" from app.webhook_key`.execute(db)
  return rows[0] ?? null
}

/** Seals a secret to the role push (RSA-OAEP). It opens for its own endpoint only. */
export function sealSecret(publicKey: string, endpointId: string, secret: Uint8Array): Buffer {
  return publicEncrypt({ key: publicKey, ...sealing(endpointId) }, secret)
}

/** How secrets are sealed: the endpoint's id is part of it. */
export function sealing(endpointId: string) {
  return {
    padding: constants.RSA_PKCS1_OAEP_PADDING,
    oaepHash: 'sha256',
    oaepLabel: Buffer.from(endpointId),
  }
}
