import { describe, expect, it } from 'vitest'
import { resendSigned } from '../../../services/chain/transactions/resendSigned.ts'
import { type Behaviour, fakeSenderPass, NEXT, signedTransaction, TO } from './fakeSenderPass.ts'
import {
  cancelled,
  type Described,
  DOUBLE_FEES,
  HIGHER_FEES,
  LONG,
  OTHER_GAS,
  replaced,
  resend,
  SENT_AGAIN,
  unsent,
} from './resending.ts'

const waited = { msSinceSigned: 30_000, msSinceSent: 0 }

describe('an unmined transaction', () => {
  it.each<[string, Described, Behaviour, unknown[]]>([
    ['that was sent just now', {}, {}, []],
    ['sent 9.999 s ago', { versions: [{ msSinceSent: 9_999 }] }, {}, []],
    ['sent 10 s ago', { versions: [{ msSinceSent: 10_000 }] }, {}, SENT_AGAIN],
    ['sent in the future', { versions: [{ msSinceSent: -1 }] }, {}, SENT_AGAIN],
    ['that wasn’t sent yet', { versions: [unsent] }, {}, SENT_AGAIN],
    ['that nodes can’t simulate', { versions: [unsent] }, { call: 'unknown' }, SENT_AGAIN],
    ['below the account’s nonce', { nonce: NEXT - 1, versions: [unsent] }, { isStale: true }, []],
  ])('%s', async (_, transaction, behaviour, expected) => {
    expect(await resend(behaviour, transaction)).toEqual(expected)
  })
})

describe('a transaction that is no longer desired', () => {
  it('is cancelled, even if no node is known to have it', async () => {
    expect(await resend({ isStale: true }, { versions: [unsent] })).toEqual(cancelled(DOUBLE_FEES))
  })

  it('is cancelled above the cap, since an empty transfer needs less gas', async () => {
    const behaviour = { isStale: true, settings: { maxFeePerGas: 5_000n } }
    expect(await resend(behaviour, { versions: [unsent] })).toEqual(cancelled(DOUBLE_FEES))
  })

  it('isn’t cancelled again while its cancellation waits', async () => {
    expect(await resend({ isStale: true }, { versions: [{ isCancel: true }] })).toEqual([])
  })
})

describe('a transaction that blocks leave out', () => {
  it.each<[string, Described, Behaviour, unknown[]]>([
    ['is replaced', { versions: [waited] }, {}, replaced(HIGHER_FEES)],
    ['is left alone sooner', { versions: [{ ...waited, msSinceSigned: 29_999 }] }, {}, []],
    ['is left alone behind another', { nonce: NEXT + 1, versions: [waited] }, {}, []],
    ['is sent first', { versions: [{ ...waited, msSinceSent: null }] }, {}, SENT_AGAIN],
    [
      'is sent again first',
      { versions: [{ ...waited, msSinceSent: LONG }] },
      {},
      [...SENT_AGAIN, ...replaced(HIGHER_FEES)],
    ],
    [
      'is left alone while nodes refuse it',
      { versions: [{ msSinceSigned: 30_000, msSinceSent: LONG }] },
      { refusal: new Error('insufficient funds'), known: ['0x01'] },
      ['broadcast 0x1111', 'row waits', 'waits OUT_OF_GAS'],
    ],
    [
      'is cancelled if it would revert',
      { versions: [waited] },
      { call: 'reverts' },
      cancelled(HIGHER_FEES),
    ],
    [
      'is replaced with the gas that it needs now',
      { versions: [waited] },
      OTHER_GAS,
      replaced(HIGHER_FEES, 125_000n),
    ],
    [
      'keeps its gas limit while nodes can’t simulate it',
      { versions: [{ ...waited, gasLimit: 123_456n }] },
      { call: 'unknown' },
      replaced(HIGHER_FEES, 123_456n),
    ],
    [
      'stays a cancellation, with the gas that it had',
      { versions: [{}, { ...waited, isCancel: true, gasLimit: 30_000n }] },
      {},
      cancelled(HIGHER_FEES, 30_000n),
    ],
    [
      'waits at the cap',
      { versions: [waited] },
      { settings: { maxFeePerGas: 5_625n } },
      ['row waits', 'waits FEE_CAP'],
    ],
    [
      'waits at the cap, whatever gas an earlier version had',
      { versions: [{ gasLimit: 1_000_000n }, waited] },
      { settings: { maxFeePerGas: 5_625n } },
      ['row waits', 'waits FEE_CAP'],
    ],
    [
      'is replaced at the cap',
      { versions: [waited] },
      { settings: { maxFeePerGas: 5_626n } },
      replaced(HIGHER_FEES),
    ],
  ])('%s', async (_, transaction, behaviour, expected) => {
    expect(await resend(behaviour, transaction)).toEqual(expected)
  })
})

describe('a transaction that would revert', () => {
  const reverts = { call: 'reverts' } as const
  const FAILED = ['row failed', 'failed REVERTED']

  it.each<[string, Described[], Behaviour, unknown[]]>([
    ['and that no node has ends unsent', [{ versions: [unsent] }], {}, FAILED],
    [
      'and that no node has any more ends',
      [{ versions: [{ msSinceSigned: LONG, msSinceSent: LONG }] }],
      {},
      FAILED,
    ],
    ['is sent if a node has it', [{ versions: [unsent] }], { known: ['0x01'] }, SENT_AGAIN],
    [
      'is sent if a node has an earlier version',
      [{ versions: [{ hash: '0x02' }, unsent] }],
      { known: ['0x02'] },
      SENT_AGAIN,
    ],
    [
      'leaves its nonce to a cancellation if higher ones are in use',
      [{ nonce: NEXT + 1 }, { versions: [unsent] }],
      {},
      cancelled(DOUBLE_FEES),
    ],
    [
      'ends above others',
      [{}, { nonce: NEXT + 1, versions: [unsent] }],
      {},
      ['row failed', 'failed REVERTED'],
    ],
  ])('%s', async (_, transactions, behaviour, expected) => {
    expect(await resend({ ...reverts, ...behaviour }, ...transactions)).toEqual(expected)
  })
})

describe('a signer that refuses', () => {
  it('a replacement for now leaves the version that is there', async () => {
    const did = await resend({ signing: 'ENCLAVE_UNREACHABLE' }, { versions: [waited] })
    expect(did).toEqual(['row waits', 'waits ENCLAVE_UNREACHABLE'])
  })

  it('a replacement as not authentic has a cancellation take the nonce', async () => {
    const did = await resend({ signing: 'TRANSACTION_NOT_AUTHENTIC' }, { versions: [waited] })
    expect(did).toEqual(['row waits', 'waits TRANSACTION_NOT_AUTHENTIC', ...cancelled(DOUBLE_FEES)])
  })

  it('a cancellation too leaves the version that is there', async () => {
    const did = await resend(
      { signing: 'TRANSACTION_NOT_AUTHENTIC', isStale: true, settings: { account: TO } },
      { versions: [unsent] },
    )
    expect(did).toEqual(['row waits', 'waits TRANSACTION_NOT_AUTHENTIC'])
  })
})

it('nothing is sent once another process may be sending', async () => {
  const requireLease = () => {
    throw new Error('the lease is lost')
  }
  const { pass, did } = fakeSenderPass({ settings: { requireLease } })
  const resending = resendSigned(pass, [signedTransaction({ versions: [unsent] })])
  await expect(resending).rejects.toThrow('the lease is lost')
  expect(did).toEqual([])
})
