import { ContractFunctionZeroDataError, keccak256, type PublicClient, toHex } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CairnError } from '../../../sdk/errors/cairnError.ts'
import { type SweepContext, sweepSafes } from '../../../sdk/recipient/sweepSafes.ts'
import type { StealthEntry } from '../../../sdk/relayer/relayerResponses.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const CHAIN = 84532
const TO = `0x${'0e'.repeat(20)}` as const
const TOKEN = `0x${'0a'.repeat(20)}` as const

function entry(number: number): StealthEntry {
  const safeAddress = `0x${toHex(number).slice(2).padStart(40, '0')}` as const
  const balances = [{ token: TOKEN, balance: 5n, isListed: true }]
  return { chainId: CHAIN, address: safeAddress, safeAddress, balances } as unknown as StealthEntry
}

function contextWith(relayProxy: () => Promise<`0x${string}`>): SweepContext {
  const publicClient = {
    readContract: async ({ functionName }: { functionName: string }) =>
      functionName === 'nonce' ? 0n : 5n,
    getCode: async () => '0x60',
    call: async () => ({ data: undefined }),
  } as unknown as PublicClient
  return {
    relayer: { relayProxy },
    chains: [{ name: 'base_sepolia', chainId: CHAIN, bridge: TO, publicClient }],
    recipient: { address: TO, list: async () => [], stealthKey: async () => keccak256('0x01') },
  } as unknown as SweepContext
}

test('sweep() waits for the relayer’s rate limit instead of reporting a failure', async () => {
  let sent = 0
  const refusedUntil = Date.now() + 20_000
  const relayProxy = async () => {
    if (sent === 1 && Date.now() < refusedUntil) throw new CairnError('RATE_LIMITED', 'too fast')
    sent += 1
    return keccak256(toHex(sent))
  }
  const sweeping = sweepSafes(contextWith(relayProxy), { entries: [entry(1), entry(2)], to: TO })
  await vi.runAllTimersAsync()
  expect((await sweeping).map(({ error, txHash }) => [error, txHash])).toEqual([
    [null, keccak256(toHex(1))],
    [null, keccak256(toHex(2))],
  ])
})

test('sweep() reports the rate limit if it still refuses a Safe after a minute', async () => {
  const relayProxy = async () => {
    throw new CairnError('RATE_LIMITED', 'too fast')
  }
  const sweeping = sweepSafes(contextWith(relayProxy), { entries: [entry(1)], to: TO })
  await vi.runAllTimersAsync()
  expect((await sweeping).map(({ error }) => error?.code)).toEqual(['RATE_LIMITED'])
})

test('sweep() calls no Safe empty whose token doesn’t answer', async () => {
  const context = contextWith(async () => keccak256('0x01'))
  const [chain] = context.chains
  Object.assign(chain!.publicClient!, {
    readContract: async () => {
      throw new ContractFunctionZeroDataError({ functionName: 'balanceOf' })
    },
  })
  const [swept] = await sweepSafes(context, { entries: [entry(1)], to: TO })
  expect(swept).toMatchObject({ moved: [], left: [{ token: TOKEN, amount: 5n }], txHash: null })
  expect(swept?.error?.code).toBe('CONTRACT_REVERTED')
})
