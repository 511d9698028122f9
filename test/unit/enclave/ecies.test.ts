import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Ecies } from '../../../services/enclave/ecies/eciesInterface.ts'
import { createPortableEcies, loadEcies } from '../../../services/enclave/ecies/loadEcies.ts'
import { deriveKey } from '../../../services/enclave/keys/deriveKey.ts'

const privateKey = deriveKey(new Uint8Array(32).fill(3), 'test')
const publicKey = secp256k1.getPublicKey(privateKey, false)
const portable = createPortableEcies()
let native: Ecies

beforeAll(async () => {
  native = await loadEcies()
})

test('this machine has the native build', () => {
  expect(native.implementation).toBe('native')
})

describe('the native ECIES and eciesjs', () => {
  const message = fc.uint8Array({ maxLength: 2_000 })
  const key = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => deriveKey(bytes, 'key of a test'))

  test('open each other’s ciphertexts, to whichever form of the key', () => {
    fc.assert(
      fc.property(key, message, fc.boolean(), (secret, plaintext, isCompressed) => {
        const receiver = secp256k1.getPublicKey(secret, isCompressed)
        const byOurs = native.encrypt(receiver, plaintext)
        const byTheirs = portable.encrypt(receiver, plaintext)
        expect(byOurs.length).toBe(byTheirs.length)
        expect([...portable.decrypt(secret, byOurs)]).toEqual([...plaintext])
        expect([...native.decrypt(secret, byTheirs)]).toEqual([...plaintext])
      }),
      { seed: 11, numRuns: 25 },
    )
  })

  test('both refuse what was changed anywhere', () => {
    const sealed = native.encrypt(publicKey, new Uint8Array(40).fill(1))
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Uint8Array.from(sealed)
        changed[at]! ^= flip
        expect(() => native.decrypt(privateKey, changed)).toThrow()
      }),
      { seed: 12, numRuns: 400 },
    )
    for (const at of [0, 1, 40, 64, 65, 80, 81, 96, 97, sealed.length - 1]) {
      const changed = Uint8Array.from(sealed)
      changed[at]! ^= 1
      expect(() => portable.decrypt(privateKey, changed)).toThrow()
    }
  })

  test('any bytes are refused, whatever their length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(() => native.decrypt(privateKey, bytes)).toThrow()
      }),
      { seed: 13, numRuns: 500 },
    )
    const sealed = native.encrypt(publicKey, new Uint8Array(10))
    for (let size = 0; size < sealed.length; size++) {
      expect(() => native.decrypt(privateKey, sealed.subarray(0, size))).toThrow()
    }
  })

  test('another key opens nothing, and no point is no receiver', () => {
    const other = deriveKey(new Uint8Array(32).fill(4), 'test')
    expect(() => native.decrypt(other, native.encrypt(publicKey, new Uint8Array(3)))).toThrow()
    const noPoint = Uint8Array.from(publicKey)
    noPoint[64]! ^= 1
    expect(() => native.encrypt(noPoint, new Uint8Array(3))).toThrow()
  })

  test('a hybrid point is another format', () => {
    const sealed = Uint8Array.from(native.encrypt(publicKey, new Uint8Array(3)))
    sealed[0] = 6 + (sealed[64]! & 1)
    expect(() => native.decrypt(privateKey, sealed)).toThrow()
  })

  test('the same plaintext never makes the same ciphertext', () => {
    const made = Array.from({ length: 50 }, () =>
      Buffer.from(native.encrypt(publicKey, new Uint8Array(5))).toString('hex'),
    )
    expect(new Set(made).size).toBe(50)
  })
})
