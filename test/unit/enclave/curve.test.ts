import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import type { EnclaveChain } from '../../../services/enclave/enclaveChain.ts'
import type { VerifiedIntentEvidence } from '../../../services/enclave/evidence/verifyIntentEvidence.ts'
import { curve, portableCurve } from '../../../services/enclave/keys/curve.ts'
import { deriveKey } from '../../../services/enclave/keys/deriveKey.ts'
import type { OperationContext } from '../../../services/enclave/operationContext.ts'
import { deriveReplaced } from '../../../services/enclave/settle/calculateRecipientPayments.ts'

const chain = {
  chainId: 84532,
  bridge: `0x${'b0'.repeat(20)}`,
  providers: [],
  agreeing: 1,
  safe: findSafeContracts(84532),
  mode: 'compat',
} as unknown as EnclaveChain

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const key = bytes.map((seed) => deriveKey(seed, 'key of a test'))

test('the native curve gives the bytes that the portable one gives', () => {
  expect(curve.implementation).toBe('native')
  fc.assert(
    fc.property(key, key, key, (first, second, scalar) => {
      const publicKey = curve.publicKey(first)
      expect([...publicKey]).toEqual([...portableCurve.publicKey(first)])
      const shared = [curve, portableCurve].map((one) => [...one.sharedPoint(second, publicKey)])
      expect(shared[0]).toEqual(shared[1])
      expect(curve.sharedPoint(first, curve.publicKey(second))).toEqual(Uint8Array.from(shared[0]!))
      const sums = [curve, portableCurve].map((one) => [...one.addScalar(publicKey, scalar)])
      expect(sums[0]).toEqual(sums[1])
    }),
    { seed: 61, numRuns: 60 },
  )
})

test('a wallet that a bundle names 200 times has its own keys derived once', async () => {
  const root = new Uint8Array(32).fill(4)
  const enclave = await createEnclave({ roots: [root], chains: [chain] })
  const wallet = `0x${'a1'.repeat(20)}` as const
  const recipients = Array.from({ length: 200 }, () => wallet)
  const contents = { recipients } as never
  const registered = recipients.map((_, position) => ({ position, isContract: false }))
  const context = { chains: new Map([[chain.chainId, chain]]) } as unknown as OperationContext
  const opened = { intent: { intentId: 7n }, destination: chain } as VerifiedIntentEvidence
  const derive = vi.spyOn(curve, 'publicKey')
  const replaced = deriveReplaced(context, opened, root, contents, registered)
  // Two keys of the wallet, and the ephemeral key of each payment.
  expect(derive).toHaveBeenCalledTimes(2 + 200)
  derive.mockRestore()
  const [, second] = replaced
  const { ticket: _, ...alone } = await enclave.deriveStealth({
    recipientAddress: wallet,
    chainId: chain.chainId,
    intentId: 7n,
    index: second!.index,
  })
  expect(second).toMatchObject(alone)
  expect(new Set(replaced.map(({ safeAddress }) => safeAddress)).size).toBe(200)
})
