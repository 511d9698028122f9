import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type SealedStorage, SealedStorageError } from './sealedStorage.ts'

/**
 * 32 bytes that the hardware gives to this measurement on this machine, and to nothing else: `EGETKEY` under
 * MRENCLAVE in SGX; in TDX from a key broker that checks the quote.
 */
type MeasuredKey = () => Promise<Uint8Array>

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Storage sealed to the measurement (AES-256-GCM, the name authenticated): the party that stores the bytes can't
 * read them, nor change or swap them unnoticed. It can bring back older ones, which here undoes a rotation
 * and reveals no secret.
 *
 * @param kept where the sealed bytes are stored, such as the host's files
 */
export function hardwareSealed(measuredKey: MeasuredKey, kept: SealedStorage): SealedStorage {
  return {
    async read(name) {
      const sealed = await kept.read(name)
      if (sealed === null) return null
      const key = await measuredKey()
      const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES, BODY)]
      try {
        const options = { authTagLength: TAG_BYTES }
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, options)
        decipher.setAAD(Buffer.from(name)).setAuthTag(tag)
        return Buffer.concat([decipher.update(sealed.subarray(BODY)), decipher.final()])
      } catch {
        throw new SealedStorageError(
          `"${name}" was sealed by another program or machine, or was changed: start the program that sealed it, or remove it for new keys, which then have to be registered`,
        )
      }
    },
    async write(name, bytes) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', await measuredKey(), nonce)
      cipher.setAAD(Buffer.from(name))
      const body = Buffer.concat([cipher.update(bytes), cipher.final()])
      await kept.write(name, Buffer.concat([nonce, cipher.getAuthTag(), body]))
    },
  }
}

const BODY = NONCE_BYTES + TAG_BYTES
