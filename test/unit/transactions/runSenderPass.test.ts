import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { runSenderPass } from '../../../services/chain/transactions/runSenderPass.ts'
import {
  DEFAULT_SENDER_SETTINGS,
  type SenderContext,
} from '../../../services/chain/transactions/senderContext.ts'
import {
  ACCOUNT,
  type Behaviour,
  fakeSenderPass,
  NEXT,
  signedTransaction,
} from './fakeSenderPass.ts'

const row = { chainId: 1, account: ACCOUNT, to: ACCOUNT, data: '0x', value: 0n, gasLimit: 21_000n }
const version = {
  transactionId: 1,
  hash: '0x01',
  nonce: 0,
  raw: '0x02',
  gasLimit: 21_000n,
  isCancel: true,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  msSinceSigned: 0,
  msSinceSent: null,
}

/** A database with one signed transaction and one that is still to be signed. */
const db = {
  query: async (text: string) => {
    if (text.includes('from app.transaction_version')) return { rows: [version] }
    if (text.includes("state in ('signed', 'sent', 'mined')\n     order by"))
      return { rows: [{ ...row, id: 1, nonce: 0, state: 'signed' }] }
    if (text.includes('from requested')) return { rows: [{ ...row, id: 2, state: 'chosen' }] }
    return { rows: [] }
  },
} as unknown as pg.ClientBase

it('a pass that fails ends only when everything that it began has ended', async () => {
  const events: string[] = []
  const report = {
    head: 10,
    blockGas: 30_000_000n,
    baseFeePerGas: 1n,
    next: 0,
    pending: 0,
    balance: 10n ** 18n,
  }
  const context = {
    ...DEFAULT_SENDER_SETTINGS,
    confirmations: 1,
    chainId: 1,
    account: ACCOUNT,
    progress: { windowSize: 1, confirmedCount: 0, missingSince: new Map() },
    nodes: {
      viewAccount: async () => [report],
      priorityFees: async () => ({ standard: 1n, replacement: 1n }),
      queryAll: () => Promise.reject(new Error('no node answers')),
      broadcast: async () => {
        await pause(50)
        events.push('broadcast')
      },
    },
    dataFees: { of: async () => 0n },
    requireLease: () => {},
    isStale: async () => false,
    isUrgent: () => false,
    leastGas: () => 0n,
    onEvent: ({ type }: { type: string }) => events.push(type),
    onPhase: () => {},
  } as unknown as SenderContext
  await expect(runSenderPass(context, db)).rejects.toThrow('no node answers')
  events.push('failed')
  await pause(100)
  expect(events).toEqual(['broadcast', 'sent', 'failed'])
})

describe('an unused nonce below ours', () => {
  /** What a pass does about it: everything but what it does for each of our transactions anyway. */
  async function pass(behaviour: Behaviour): Promise<unknown[]> {
    const { pass, did } = fakeSenderPass(behaviour)
    const { market, ...view } = pass.view
    const report = { ...view, baseFeePerGas: market.baseFeePerGas }
    Object.assign(pass.context.nodes, {
      viewAccount: async () => [report],
      priorityFees: async () => market.priorityFees,
    })
    await runSenderPass(pass.context, pass.db)
    return did.filter((one) => /^(fill|waits)/.test(String(one)))
  }
  const FILL = `fill ${ACCOUNT}:${NEXT}`
  const above = (msSinceSigned = 0, signedAtBlock = 100) =>
    signedTransaction({ nonce: NEXT + 1, versions: [{ msSinceSigned, signedAtBlock }] })
  const used = (nonce: number, blockNumber = 109): Behaviour => ({
    signed: [
      signedTransaction({ nonce, state: 'mined', blockNumber, blockHash: '0x0b', succeeded: true }),
      ...(nonce === NEXT ? [above()] : []),
    ],
    chains: [{ blocks: { [blockNumber]: '0x0b' } }],
  })
  const isPending = { pending: NEXT + 1 }

  it.each<[string, Behaviour, string[]]>([
    ['is filled at once if nobody uses it', { signed: [above()] }, [FILL]],
    [
      'is left to another program’s transaction at first',
      { signed: [above(29_999)], view: isPending },
      [],
    ],
    [
      'is left to it while the chain has no blocks',
      { signed: [above(60_000, 109)], view: isPending },
      [],
    ],
    [
      'is taken from it once blocks have left it out, and ours says so',
      { signed: [above(60_000)], view: isPending },
      ['waits NONCE_BLOCKED', FILL],
    ],
    ['isn’t filled while none of ours waits for it', { ...used(NEXT - 1), view: isPending }, []],
    ['isn’t one if ours has it', { signed: [signedTransaction(), above()] }, []],
    ['isn’t one if ours has used it, and a node lags', used(NEXT), []],
    ['isn’t one if ours has used it and is confirmed now, and a node lags', used(NEXT, 100), []],
  ])('%s', async (_, behaviour, expected) => {
    expect(await pass(behaviour)).toEqual(expected)
  })
})
