import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeReceipt } from '../../../core/proof/encodeReceipt.ts'
import { computeReceiptsRoot } from '../../../core/proof/proveReceipts.ts'
import type { Receipt } from '../../../core/proof/receipt.ts'
import { receiptsMatchRoot } from '../../../services/chain/proof/receiptsMatchRoot.ts'
import { receipt } from '../proof/arbitraryReceipt.ts'
import { DEPOSIT_NONCE, RECEIPTS, RECEIPTS_ROOT } from '../proof/optimismGoerliBlock.ts'

/** A receipt as a node returns it. */
function answer({ outcome, deposit, type, cumulativeGasUsed, logsBloom, logs }: Receipt) {
  return {
    type: `0x${type.toString(16)}`,
    ...(outcome.length === 66 ? { root: outcome } : { status: outcome }),
    cumulativeGasUsed: `0x${cumulativeGasUsed.toString(16)}`,
    logsBloom,
    logs: logs.map((log) => ({ ...log, logIndex: '0x0' })),
    ...(deposit && {
      depositNonce: `0x${deposit.nonce.toString(16)}`,
      depositReceiptVersion: `0x${deposit.version.toString(16)}`,
    }),
  }
}

const rootOf = (receipts: readonly Receipt[]) => computeReceiptsRoot(receipts.map(encodeReceipt))

test('the receipts of any block match its root, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(receipt, { maxLength: 40 }), receipt, async (receipts, other) => {
      const root = await rootOf(receipts)
      const answers = receipts.map(answer)
      expect(receiptsMatchRoot(answers, root)).toBe(true)
      expect(receiptsMatchRoot([...answers, answer(other)], root)).toBe(false)
      if (answers.length > 0) expect(receiptsMatchRoot(answers.slice(1), root)).toBe(false)
    }),
    { numRuns: 60 },
  )
})

test('blocks of every size that changes the shape of the trie', async () => {
  const [one] = fc.sample(receipt, { numRuns: 1, seed: 1 }) as [Receipt]
  for (const count of [1, 2, 16, 17, 127, 128, 129, 130, 255, 256, 257, 300]) {
    const receipts = Array.from({ length: count }, (_, at) => ({
      ...one,
      cumulativeGasUsed: BigInt(at),
    }))
    expect(receiptsMatchRoot(receipts.map(answer), await rootOf(receipts)), `${count}`).toBe(true)
  }
})

test('a published block, whose deposit’s nonce isn’t hashed', () => {
  const answers = RECEIPTS.map(answer)
  const [deposit, ...rest] = answers
  const reported = { ...deposit, depositNonce: `0x${DEPOSIT_NONCE.toString(16)}` }
  expect(receiptsMatchRoot([reported, ...rest], RECEIPTS_ROOT)).toBe(true)
  expect(receiptsMatchRoot(answers.toReversed(), RECEIPTS_ROOT)).toBe(false)
})

const [first, ...others] = RECEIPTS.map(answer)
const at = RECEIPTS.findIndex(({ logs }) => logs.length > 1)
const changed = (change: (log: Record<string, unknown>) => unknown) =>
  [first, ...others].map((one, index) =>
    index === at
      ? { ...one, logs: one?.logs.map((log, place) => (place === 0 ? change(log) : log)) }
      : one,
  )

test.each([
  [
    'without a log',
    changed(() => undefined).map((one) => ({ ...one, logs: one?.logs?.filter(Boolean) })),
  ],
  ['with a log twice', changed((log) => log).flatMap((one) => [one, one])],
  ['with other data', changed((log) => ({ ...log, data: `${log.data}00` }))],
  ['with another contract', changed((log) => ({ ...log, address: `0x${'66'.repeat(20)}` }))],
  ['with fewer topics', changed((log) => ({ ...log, topics: [] }))],
  ['with an address in a list', changed((log) => ({ ...log, address: ['', '', log.address] }))],
  ['with something behind the data', changed((log) => ({ ...log, data: `${log.data}zz` }))],
  ['without a bloom', [first, ...others].map((one) => ({ ...one, logsBloom: undefined }))],
  ['that are none', [null]],
])('receipts %s don’t match', (_, answers) => {
  expect(receiptsMatchRoot([first, ...others] as never, RECEIPTS_ROOT)).toBe(true)
  expect(receiptsMatchRoot(answers as never, RECEIPTS_ROOT)).toBe(false)
})
