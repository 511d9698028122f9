import fc from 'fast-check'
import { bytesToHex, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import { expect, it } from 'vitest'
import { recoverSigner as recoverPortably } from '../../../core/bundle/recoverSigner.ts'
import { recoverSigner } from '../../../services/chain/recoverSigner.ts'

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((one) => bytesToHex(one))

it('the fast way finds the same signers as the core’s, and nobody where it finds nobody', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const hash: Hex = `0x${'5a'.repeat(32)}`
  const own = await account.sign({ hash })
  expect(recoverSigner(hash, own)).toBe(account.address.toLowerCase())
  const last = fc.constantFrom('1b', '1c')
  fc.assert(
    fc.property(bytes(32), bytes(64), last, (about, rs, v) => {
      const signature = `${rs}${v}` as Hex
      expect(recoverSigner(about, signature)).toBe(recoverPortably(about, signature))
    }),
    { numRuns: 200 },
  )
  const privateKey = generatePrivateKey()
  for (let at = 0; at < 20; at++) {
    const about = bytesToHex(new Uint8Array(32).fill(at))
    const signature = await sign({ hash: about, privateKey, to: 'hex' })
    expect(recoverSigner(about, signature)).toBe(recoverPortably(about, signature))
  }
  expect(recoverSigner(hash, '0x')).toBeNull()
})
