import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { bytesToHex, type Hex, hexToBigInt, numberToHex, sliceHex, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import { expect, it } from 'vitest'
import { recoverSigner } from '../../../core/recipientBundle/recoverSigner.ts'
import { isGenuineSignature } from '../../../services/quorum/isGenuineSignature.ts'

const HASH: Hex = `0x${'5a'.repeat(32)}`
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((one) => bytesToHex(one))

it('finds genuine what the core recovers the signer of, and nothing else', async () => {
  const privateKey = generatePrivateKey()
  const { address: signer } = privateKeyToAccount(privateKey)
  for (let at = 0; at < 20; at++) {
    const hash = bytesToHex(new Uint8Array(32).fill(at))
    const signature = await sign({ hash, privateKey, to: 'hex' })
    expect(recoverSigner(hash, signature)).toBe(signer.toLowerCase())
    expect(isGenuineSignature(hash, { signature, signer })).toBe(true)
    expect(isGenuineSignature(hash, { signature, signer: zeroAddress })).toBe(false)
    expect(isGenuineSignature(HASH, { signature, signer })).toBe(false)
  }
  const lowS = bytes(32).map((s): Hex => `0x00${s.slice(4)}`)
  fc.assert(
    fc.property(bytes(32), bytes(32), lowS, fc.constantFrom('1b', '1c'), (hash, r, s, v) => {
      const signature: Hex = `${r}${s.slice(2)}${v}`
      const recovered = recoverSigner(hash, signature)
      const answer = { signature, signer: recovered ?? zeroAddress }
      expect(isGenuineSignature(hash, answer)).toBe(recovered !== null)
    }),
    { numRuns: 200 },
  )
})

it('refuses the forms of a signature that contracts refuse', async () => {
  const privateKey = generatePrivateKey()
  const { address: signer } = privateKeyToAccount(privateKey)
  const signature = await sign({ hash: HASH, privateKey, to: 'hex' })
  const rs = sliceHex(signature, 0, 64)
  const isEven = signature.endsWith('1b')
  const highS = secp256k1.Point.Fn.ORDER - hexToBigInt(sliceHex(rs, 32))
  const others: Hex[] = [
    `${rs}${isEven ? '00' : '01'}`,
    `${sliceHex(rs, 0, 32)}${numberToHex(highS, { size: 32 }).slice(2)}${isEven ? '1c' : '1b'}`,
  ]
  for (const other of others) {
    // The same key made them.
    expect(recoverSigner(HASH, other)).toBe(signer.toLowerCase())
    expect(isGenuineSignature(HASH, { signature: other, signer })).toBe(false)
  }
  for (const other of ['0x', rs, `${signature}00`] as const) {
    expect(isGenuineSignature(HASH, { signature: other, signer })).toBe(false)
  }
})
