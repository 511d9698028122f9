import { expect, test } from 'vitest'
import { enclaveKey } from '../../../sdk/index.ts'

test('a trusted measurement counts in any letter case', async () => {
  const key = `0x04${'ab'.repeat(64)}` as const
  const measurement = `0x${'cd'.repeat(32)}`
  const found: Record<string, unknown> = { isActive: true, eciesKeyOf: key, keyOf: { measurement } }
  const relayer = {
    eciesPublicKey: async () => key,
    attestation: async () => [{ keys: { attester: `0x${'11'.repeat(20)}` } }] as never,
  }
  const client = {
    readContract: async ({ functionName }: { functionName: string }) => found[functionName],
  }
  const registry = `0x${'22'.repeat(20)}` as const
  const trust = (one: string) =>
    enclaveKey(relayer, { client, registry, measurements: [one as `0x${string}`] })
  expect(await trust(`0x${'CD'.repeat(32)}`)).toBe(key)
  await expect(trust(`0x${'ef'.repeat(32)}`)).rejects.toThrow('no active enclave')
})
