import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { connectEnclave } from '../../../services/enclave/socket/connectEnclave.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-calls-'))
const path = join(directory, 'enclave.sock')
const delivery = { recipientAddress: `0x${'a1'.repeat(20)}`, chainId: 84532, intentId: 1n } as const
const MANY = 200

/** Number of computations begun, and a function that ends them all. */
let begun = 0
let finish: () => void
let served: Awaited<ReturnType<typeof serveEnclave>>

/** An enclave that takes as long as a test lets it. */
beforeEach(async () => {
  chmodSync(directory, 0o700)
  begun = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  finish = resolve
  const enclave = await createEnclave({ roots: [new Uint8Array(32).fill(1)], chains: [] })
  const deriveStealth: Enclave['deriveStealth'] = async (asked) => {
    begun++
    await promise
    return enclave.deriveStealth(asked)
  }
  served = await serveEnclave({ ...enclave, deriveStealth }, path)
})
afterEach(async () => {
  finish()
  await served.stop()
  rmSync(path, { force: true })
})

test('a flood of calls for strangers doesn’t delay the relayer’s own', async () => {
  const stranger = connectEnclave(path, { priority: 'low' })
  const flood = Array.from({ length: MANY }, () => stranger.deriveStealth(delivery))
  const settled = Promise.allSettled(flood)
  await expect.poll(() => begun).toBeGreaterThan(0)
  const relayer = connectEnclave(path)
  // Rejects, by what the enclave says of the chain, once it is computed.
  const own = relayer.deriveStealth(delivery)
  const before = begun
  await expect.poll(() => begun).toBe(before + 1)
  expect((await relayer.publicKeys()).keyId).toMatch(/^0x/)
  finish()
  await expect(own).rejects.toMatchObject({ code: 'CHAIN_NOT_CONFIGURED' })
  await settled
  stranger.close()
  relayer.close()
})

test.each([
  'low',
  'normal',
] as const)('calls of priority %s that their caller has given up are never computed', async (priority) => {
  const impatient = connectEnclave(path, { timeoutMs: 300, priority })
  const given = Array.from({ length: MANY }, () => impatient.deriveStealth(delivery))
  for (const one of await Promise.allSettled(given)) expect(one.status).toBe('rejected')
  const atOnce = begun
  expect(atOnce).toBeLessThan(MANY / 4)
  const gone = connectEnclave(path, { priority })
  const left = Array.from({ length: MANY }, () => gone.deriveStealth(delivery))
  const leaving = Promise.allSettled(left)
  await new Promise((resolve) => setTimeout(resolve, 100))
  gone.close()
  await leaving
  finish()
  const patient = connectEnclave(path, { priority })
  await patient.publicKeys()
  expect(begun).toBe(atOnce)
  impatient.close()
  patient.close()
})
