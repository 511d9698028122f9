import { TimeoutError } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Behaviour, NEXT } from './fakeSenderPass.ts'
import {
  cancelled,
  type Described,
  DOUBLE_FEES,
  FIRST_FEES,
  HIGHER_FEES,
  LONG,
  OTHER_GAS,
  replaced,
  resend,
  unsent,
} from './resending.ts'

const underpriced = new Error('replacement transaction underpriced')
const invalid = new Error('transaction type not supported')
const wrongGas = new Error('intrinsic gas too low')
/** 150,000,000 wei for the 80,000 gas of a call and its margin are 1,500 for each. */
const tooCostly = new Error('tx fee (500000000 wei) exceeds the configured cap (150000000 wei)')
const unknown = new Error('not on a Sunday')
const silence = new TimeoutError({ body: {}, url: 'http://node' })

const DEAR = { baseFeePerGas: 1_500n, priorityFees: { standard: 10n, replacement: 20n } }

const PROBLEMS = new Map<unknown, string>([
  [invalid, 'NOT_VALID'],
  [wrongGas, 'GAS_LIMIT'],
  [tooCostly, 'NOT_TAKEN'],
  [unknown, 'NOT_TAKEN'],
  [silence, 'RPC_UNREACHABLE'],
])

describe('bytes that nodes refuse', () => {
  const refused = { versions: [unsent] }
  const above = { nonce: NEXT + 1 }
  const refusedFor = (msSinceSigned: number, versions = 1): Described => ({
    versions: Array.from({ length: versions }, (_, index) => ({
      ...unsent,
      msSinceSigned,
      maxFeePerGas: 3_000n + BigInt(index),
    })),
  })

  it.each<[string, Described[], Behaviour, unknown[]]>([
    ['as underpriced are replaced', [refused], { refusal: underpriced }, replaced(HIGHER_FEES)],
    [
      'as underpriced at the cap are signed at today’s fees if no node has them',
      [refused],
      { refusal: underpriced, settings: { maxFeePerGas: 5_625n } },
      replaced(FIRST_FEES),
    ],
    [
      'as underpriced at the cap stay while a node has them',
      [refused],
      { refusal: underpriced, settings: { maxFeePerGas: 5_625n }, known: ['0x01'] },
      ['row waits', 'waits FEE_CAP'],
    ],
    [
      'as underpriced at the cap and at today’s fees stay as they are',
      [{ versions: [{ ...unsent, ...FIRST_FEES }] }],
      { refusal: underpriced, settings: { maxFeePerGas: 2_010n } },
      ['row waits', 'waits FEE_CAP'],
    ],
    [
      'as invalid end',
      [refused],
      { refusal: invalid, ...OTHER_GAS },
      ['row failed', 'failed NOT_VALID'],
    ],
    [
      'as invalid don’t end while a node has them',
      [refused],
      { refusal: invalid, known: ['0x01'] },
      [],
    ],
    [
      'as invalid leave their nonce to a cancellation if higher ones are in use',
      [refused, above],
      { refusal: invalid },
      cancelled(DOUBLE_FEES),
    ],
    [
      'as an invalid cancellation don’t end, since the call may still be mined',
      [{ versions: [{ ...unsent, isCancel: true }] }],
      { refusal: invalid },
      [],
    ],
    [
      'for their gas limit are signed with another',
      [refused],
      { refusal: wrongGas, ...OTHER_GAS },
      replaced(FIRST_FEES, 125_000n),
    ],
    [
      'for their gas limit are signed with less, at no more than the cap',
      [refused],
      { refusal: wrongGas, call: 40_000n, settings: { maxFeePerGas: 2_000n } },
      replaced({ ...FIRST_FEES, maxFeePerGas: 2_000n }, 50_000n),
    ],
    [
      'for their gas limit end while nodes can’t simulate them',
      [refused],
      { refusal: wrongGas, call: 'unknown' },
      ['row failed', 'failed GAS_LIMIT'],
    ],
    [
      'for the only gas limit end',
      [refused],
      { refusal: wrongGas },
      ['row failed', 'failed GAS_LIMIT'],
    ],
    [
      'for the gas limit of a cancellation are signed with another',
      [{ versions: [{ ...unsent, isCancel: true, gasLimit: 21_000n }] }],
      { refusal: wrongGas, call: 24_000n },
      cancelled(FIRST_FEES, 30_000n),
    ],
    [
      'because they could cost too much are signed at a lower price',
      [refused],
      { refusal: tooCostly },
      replaced({ ...FIRST_FEES, maxFeePerGas: 1_500n }),
    ],
    [
      'because they could cost too much are signed with no more gas than they need where the next block would leave them out',
      [refused],
      { refusal: tooCostly, settings: { leastGas: () => 150_000n } },
      replaced({ ...FIRST_FEES, maxFeePerGas: 1_500n }),
    ],
    [
      'because they could cost too much keep their minimum of gas at a price that the next block takes',
      [refused],
      { refusal: tooCostly, settings: { leastGas: () => 148_000n } },
      replaced({ ...FIRST_FEES, maxFeePerGas: 1_013n }, 148_000n),
    ],
    [
      'because they could cost too much are signed at no more than the cap',
      [refused],
      { refusal: tooCostly, settings: { maxFeePerGas: 1_400n } },
      replaced({ ...FIRST_FEES, maxFeePerGas: 1_400n }),
    ],
    [
      'because they could cost too much are signed where the next block just takes them',
      [refused],
      { refusal: tooCostly, view: { market: { ...DEAR, baseFeePerGas: 1_490n } } },
      replaced({ ...FIRST_FEES, maxFeePerGas: 1_500n }),
    ],
    [
      'because they could cost too much stay as they are while nodes can’t simulate them',
      [refused],
      { refusal: tooCostly, call: 'unknown' },
      [],
    ],
    [
      'because they could cost too much stay as they are while gas is dearer than that',
      [refused],
      { refusal: tooCostly, view: { market: DEAR } },
      [],
    ],
    [
      'because they could cost too much stay while a node has them',
      [refused],
      { refusal: tooCostly, known: ['0x01'] },
      [],
    ],
    [
      'because they could cost too much aren’t signed again once they can’t',
      [{ versions: [{ ...unsent, maxFeePerGas: 1_500n }] }],
      { refusal: tooCostly },
      [],
    ],
    [
      'as a cancellation that could cost too much stay as they are',
      [{ versions: [{ ...unsent, isCancel: true }] }],
      { refusal: tooCostly },
      [],
    ],
    ['for an unknown reason stay as they are', [refusedFor(29_999)], { refusal: unknown }, []],
    [
      'for an unknown reason are signed again after a while',
      [refusedFor(30_000)],
      { refusal: unknown },
      replaced(FIRST_FEES),
    ],
    ['a second time wait twice as long', [refusedFor(59_999, 2)], { refusal: unknown }, []],
    [
      'a second time are signed again then',
      [refusedFor(60_000, 2)],
      { refusal: unknown },
      replaced(FIRST_FEES),
    ],
    [
      'a ninth time are signed again after 64 minutes, like an eighth time',
      [refusedFor(3_840_000, 9)],
      { refusal: unknown },
      replaced(FIRST_FEES),
    ],
    ['a ninth time wait until then', [refusedFor(3_839_999, 9)], { refusal: unknown }, []],
    [
      'in words that we don’t know by a node that has them are replaced at higher fees',
      [{ versions: [{ msSinceSigned: 30_000, msSinceSent: 30_000 }] }],
      { refusal: unknown, known: ['0x01'] },
      replaced(HIGHER_FEES),
    ],
    [
      'by such a node aren’t replaced while others come first',
      [{ ...above, versions: [{ msSinceSigned: LONG, msSinceSent: LONG }] }],
      { refusal: unknown, known: ['0x01'] },
      [],
    ],
    [
      'by such a node aren’t replaced while there are no blocks',
      [{ versions: [{ msSinceSigned: LONG, msSinceSent: LONG, signedAtBlock: 109 }] }],
      { refusal: unknown, known: ['0x01'] },
      [],
    ],
    [
      'aren’t signed again while the call would not succeed',
      [refusedFor(LONG)],
      { refusal: unknown, call: 'unknown' },
      [],
    ],
    [
      'aren’t signed again as they are',
      [{ versions: [{ ...unsent, msSinceSigned: LONG, ...FIRST_FEES }] }],
      { refusal: unknown },
      [],
    ],
    [
      'aren’t signed again as they once were',
      [{ versions: [FIRST_FEES, { ...unsent, msSinceSigned: LONG }] }],
      { refusal: unknown },
      [],
    ],
    [
      'are signed again with another priority fee',
      [{ versions: [{ ...unsent, msSinceSigned: LONG, ...FIRST_FEES, maxPriorityFeePerGas: 9n }] }],
      { refusal: unknown },
      replaced(FIRST_FEES),
    ],
    [
      'are signed again with another gas limit',
      [{ versions: [{ ...unsent, msSinceSigned: LONG, ...FIRST_FEES, gasLimit: 99_999n }] }],
      { refusal: unknown },
      replaced(FIRST_FEES),
    ],
    [
      'of a cancellation are signed again, whatever the call would do, within the call’s cap',
      [{ versions: [{}, { ...unsent, msSinceSigned: LONG, isCancel: true, gasLimit: 21_000n }] }],
      { refusal: unknown, call: 'reverts', settings: { maxFeePerGas: 1_000n } },
      cancelled(FIRST_FEES),
    ],
    ['by silence stay as they are', [refusedFor(LONG)], { refusal: silence }, []],
  ])('%s', async (_, transactions, behaviour, expected) => {
    const did = await resend(behaviour, ...transactions)
    const problem = PROBLEMS.get(behaviour.refusal)
    const reported = problem ? ['row waits', `waits ${problem}`] : []
    expect(did).toEqual(['broadcast 0x1111', ...reported, ...expected])
  })
})
