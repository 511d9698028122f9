import { concat, parseTransaction, toHex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import type { Fault, RpcCall } from '../../rig/faultyRpc.ts'
import { type ProxiedTransactionRig, startProxiedTransactionRig } from './proxiedTransactionRig.ts'
import { derivePayee } from './transactionRig.ts'

/** Gas that a chain adds to each transaction for its parent chain's costs, as Arbitrum's do. */
const ADDED = 9_000n
const NEEDED = 21_000n + ADDED

let rig: ProxiedTransactionRig

beforeAll(async () => {
  rig = await startProxiedTransactionRig()
})
afterAll(() => rig?.stop())
beforeEach(() => rig.nextAccount())
afterEach(async () => {
  await rig.stopSenders()
  rig.proxy.inject(undefined)
  await rig.dropAll()
  await rig.chain.setAutomine(true)
})

const TOO_LITTLE: Fault = { error: { code: -32_000, message: 'intrinsic gas too low' } }

/** Refuses what has less gas than its chain needs. */
function needMoreGas({ method, params = [] }: Partial<RpcCall>): Fault | undefined {
  const [call] = params
  if (method === 'eth_sendRawTransaction')
    return (parseTransaction(call as `0x02${string}`).gas ?? 0n) < NEEDED ? TOO_LITTLE : undefined
  const { gas } = Object(call) as { gas?: string }
  if (method === 'eth_call' && gas !== undefined && BigInt(gas) < NEEDED) return TOO_LITTLE
  if (method !== 'eth_estimateGas') return undefined
  return { change: (estimate) => toHex(BigInt(estimate as string) + ADDED) }
}

/** Leaves the second of two transactions above an unused nonce, as after restoring a backup. */
async function leaveGap(): Promise<Transaction> {
  await rig.chain.setAutomine(false)
  const name = rig.account.address
  const [lost, kept] = [await rig.request(`lost ${name}`), await rig.request(`kept ${name}`)]
  const { sender } = rig.start()
  await rig.until(async () => (await rig.read(kept.id)).state === 'sent', 'both are sent')
  await sender.stop()
  await rig.client.query('delete from app.transaction where id = $1', [lost.id])
  await rig.dropAll()
  return kept
}

const isOver = (transaction: Transaction) => async () =>
  ['confirmed', 'failed', 'superseded'].includes((await rig.read(transaction.id)).state)

describe('where an empty transfer needs more than 21,000 gas', () => {
  it('a cancellation takes its nonce all the same', async () => {
    let isLate = false
    const late = await rig.request('late')
    const behind = await rig.request('behind')
    rig.proxy.inject((call) => {
      const isRefused =
        call.method === 'eth_sendRawTransaction' &&
        parseTransaction(call.params[0] as `0x02${string}`).to?.toLowerCase() ===
          derivePayee('late').toLowerCase()
      return isRefused ? { error: { code: -32_000, message: 'not now' } } : needMoreGas(call)
    })
    const isStale = async ({ id }: Transaction) => isLate && id === late.id
    rig.startBehindProxy({ bumpAfterMs: 200, resendAfterMs: 200, isStale })
    await rig.until(async () => (await rig.read(behind.id)).state === 'sent', 'one waits')
    isLate = true
    await rig.until(isOver(behind), 'the one behind it is over', true)
    // Of one block's transactions, those that succeeded are recorded first.
    await rig.until(isOver(late), 'it is over')
    expect((await rig.read(late.id)).state).toBe('superseded')
    expect(await rig.received('late')).toBe(0n)
    expect(await rig.received('behind')).toBe(1n)
  })

  it('a gap of nonces is filled all the same', async () => {
    const kept = await leaveGap()
    rig.proxy.inject(needMoreGas)
    rig.startBehindProxy({ resendAfterMs: 100 })
    await rig.until(isOver(kept), 'the one above the gap is over', true)
    expect((await rig.read(kept.id)).state).toBe('confirmed')
  })
})

it.each([
  // Stores something whenever it is called.
  ['spends gas on a transfer', '0x600143555f5ff3'],
  // A reverted transfer uses its nonce too.
  ['refuses transfers', '0x5f5ffd'],
] as const)('an account whose delegated code (EIP-7702) %s has its gap filled', async (_, bytecode) => {
  const kept = await leaveGap()
  const code = derivePayee(bytecode)
  await rig.chain.setCode({ address: code, bytecode })
  await rig.chain.setCode({
    address: rig.account.address,
    bytecode: concat(['0xef0100', code]),
  })
  rig.start({ resendAfterMs: 100 })
  await rig.until(isOver(kept), 'the one above the gap is over', true)
  expect((await rig.read(kept.id)).state).toBe('confirmed')
})
