import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import type secp256k1Bindings from 'secp256k1/bindings.js'
import { type Ecies, EPHEMERAL_KEY_BYTES } from './eciesInterface.ts'
import { createSymmetricKeyDerivation } from './symmetricKeyDerivation.ts'

const NONCE_END = EPHEMERAL_KEY_BYTES + 16
const TAG_END = NONCE_END + 16

/** ECIES over libsecp256k1 and OpenSSL. */
export async function createNativeEcies(curve: typeof secp256k1Bindings): Promise<Ecies> {
  const x = new Uint8Array(32)
  const y = new Uint8Array(32)
  const point = new Uint8Array(65)
  /** The addon has just written the shared point to `x` and `y`. */
  const wholePoint = () => {
    point[0] = 4
    point.set(x, 1)
    point.set(y, 33)
    return point
  }

  const input = new Uint8Array(130)
  const shared = input.subarray(65)
  const options = { hashfn: wholePoint, xbuf: x, ybuf: y }
  const derive = await createSymmetricKeyDerivation()
  const symmetricKey = (
    ephemeral: Uint8Array,
    publicKey: Uint8Array,
    privateKey: Uint8Array,
  ): KeyObject => {
    input.set(ephemeral)
    curve.ecdh(publicKey, privateKey, options, shared)
    // Converting raw bytes would cost three times as much.
    return createSecretKey(derive(input))
  }

  return {
    implementation: 'native',
    encrypt(publicKey, plaintext) {
      const ephemeral = generateKey(curve)
      const ephemeralPublic = curve.publicKeyCreate(ephemeral, false)
      const nonce = randomBytes(16)
      const key = symmetricKey(ephemeralPublic, publicKey, ephemeral)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = [cipher.update(plaintext), cipher.final()]
      return Buffer.concat([ephemeralPublic, nonce, cipher.getAuthTag(), ...body])
    },
    decrypt(privateKey, ciphertext) {
      // The curve's own check would also accept compressed and hybrid points, which are other formats.
      if (ciphertext.length < TAG_END || ciphertext[0] !== 4) throw new Error('not a ciphertext')
      const ephemeral = ciphertext.subarray(0, EPHEMERAL_KEY_BYTES)
      const key = symmetricKey(ephemeral, ephemeral, privateKey)
      const nonce = ciphertext.subarray(EPHEMERAL_KEY_BYTES, NONCE_END)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce)
      decipher.setAuthTag(ciphertext.subarray(NONCE_END, TAG_END))
      const plaintext = decipher.update(ciphertext.subarray(TAG_END))
      decipher.final()
      return plaintext
    },
  }
}

/** 32 random bytes as a private key, which all but 2^-128 of them are. */
function generateKey(curve: typeof secp256k1Bindings): Uint8Array {
  for (;;) {
    const key = randomBytes(32)
    if (curve.privateKeyVerify(key)) return key
  }
}
