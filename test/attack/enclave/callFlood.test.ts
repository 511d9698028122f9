import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import type { IntentEvidence } from '../../../services/enclave/operationSchemas.ts'
import { chooseLane } from '../../../services/enclave/socket/callLanes.ts'
import { connectEnclave } from '../../../services/enclave/socket/connectEnclave.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-calls-'))
const path = join(directory, 'enclave.sock')
const delivery = { recipientAddress: `0x${'a1'.repeat(20)}`, chainId: 84532, intentId: 1n } as const
const MANY = 200
const [SILENT, HEALTHY] = [84532, 11155111]

/** Number of computations begun, and a function that ends them all. */
let begun = 0
let finish: () => void
let served: Awaited<ReturnType<typeof serveEnclave>>

/** An enclave that takes as long as a test lets it, as if one of its two chains were silent. */
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
  const askProviders = async (about: {
    intent: IntentEvidence
    destChainId?: number | undefined
  }) => {
    begun++
    if ([about.intent.sourceChainId, about.destChainId].includes(SILENT)) await promise
    throw new EnclaveError('PROVIDERS_UNREACHABLE')
  }
  const [revealToWinner, attestSettlement] = [askProviders, askProviders]
  const slow = { ...enclave, deriveStealth, revealToWinner, attestSettlement }
  served = await serveEnclave(slow, path, [SILENT, HEALTHY])
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
] as const)('the enclave never computes calls of priority %s that their caller has given up', async (priority) => {
  const impatient = connectEnclave(path, { timeoutMs: 300, priority })
  const given = Array.from({ length: MANY }, () => impatient.deriveStealth(delivery))
  for (const one of await Promise.allSettled(given)) expect(one.status).toBe('rejected')
  // A process that stood still may have given them up before the enclave had read them.
  await expect.poll(() => begun).toBeGreaterThan(0)
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

test.each([
  'low',
  'normal',
] as const)('calls of priority %s about a silent chain don’t hold up others', async (priority) => {
  const client = connectEnclave(path, { priority, timeoutMs: 60_000 })
  // More than a connection may have pending, if they all waited.
  const flood = Array.from({ length: 2_000 }, () =>
    client.revealToWinner({ intent: about(SILENT) }),
  )
  const codes = flood.map((one) => one.catch(({ code }) => code))
  await expect.poll(() => begun).toBeGreaterThan(0)
  const unreachable = { code: 'PROVIDERS_UNREACHABLE' }
  await expect(client.revealToWinner({ intent: about(HEALTHY) })).rejects.toMatchObject(unreachable)
  expect((await client.publicKeys()).keyId).toMatch(/^0x/)
  const { tags } = await client.tagRecipients({
    recipients: [{ recipientAddress: delivery.recipientAddress }],
  })
  expect(tags).toHaveLength(1)
  // On the silent chain itself, other operations keep their turn.
  const before = begun
  const { blockNumber, accountProof, storageProofs } = about(SILENT)
  const attested = client.attestSettlement({
    intent: about(SILENT),
    delivery: { blockNumber, accountProof, storageProofs },
  })
  const settled = attested.catch(({ code }) => code)
  await expect.poll(() => begun).toBe(before + 1)
  expect(begun).toBeLessThan(MANY / 4)
  finish()
  expect(await settled).toBe('PROVIDERS_UNREACHABLE')
  expect(new Set(await Promise.all(codes))).toEqual(
    new Set(['PROVIDERS_UNREACHABLE', 'ENCLAVE_BUSY']),
  )
  client.close()
})

test('settlements to a silent chain don’t hold up those to another', async () => {
  const client = connectEnclave(path, { timeoutMs: 60_000 })
  const { blockNumber, accountProof, storageProofs } = about(HEALTHY)
  const delivery = { blockNumber, accountProof, storageProofs }
  const settle = (destChainId: number) =>
    client.attestSettlement({ intent: about(HEALTHY), destChainId, delivery })
  const flood = Array.from({ length: MANY }, () => settle(SILENT).catch(() => {}))
  await expect.poll(() => begun).toBeGreaterThan(0)
  await expect(settle(HEALTHY)).rejects.toMatchObject({ code: 'PROVIDERS_UNREACHABLE' })
  finish()
  await Promise.all(flood)
  client.close()
})

test('calls about chains that aren’t configured share the lane of calls that only compute', async () => {
  const chains = new Set([SILENT, HEALTHY])
  const lane = (operation: string, request: unknown) => chooseLane({ operation, request }, chains)
  const shared = lane('publicKeys', {})
  expect(lane('revealToWinner', { intent: { sourceChainId: 5 } })).toBe(shared)
  expect(lane('revealToWinner', { intent: { sourceChainId: [SILENT] } })).toBe(shared)
  expect(lane('constructor', { sourceChainId: SILENT })).toBe(shared)
  const own = [
    lane('revealToWinner', { intent: { sourceChainId: SILENT } }),
    lane('revealToWinner', { intent: { sourceChainId: HEALTHY } }),
    lane('signTranche', { sourceChainId: SILENT }),
    lane('exportStealthKey', { contractOn: SILENT }),
    lane('signFunding', null),
    // By the owner's message, since the order itself is encrypted.
    lane('signFunding', { message: `TWAP_ORDER:${'ab'.repeat(32)}:${SILENT}:1` }),
    lane('attestSettlement', { intent: { sourceChainId: HEALTHY }, destChainId: SILENT }),
    lane('attestSettlement', { intent: { sourceChainId: HEALTHY }, destChainId: HEALTHY }),
    lane('attestSettlement', { intent: { sourceChainId: HEALTHY }, destChainId: 5 }),
  ]
  expect(new Set([...own, shared]).size).toBe(10)
})

/** An intent on a chain. */
function about(sourceChainId: number): IntentEvidence {
  return {
    sourceChainId,
    intentId: 1n,
    blobs: [],
    blockNumber: 1,
    accountProof: [],
    storageProofs: [],
  }
}
