import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getAddress } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { readPayments, writePayment } from '../../../examples/payroll/readPayments.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-payments-'))
const path = join(directory, 'payments.csv')
afterAll(() => rmSync(directory, { recursive: true }))

const ALICE = '0x1111111111111111111111111111111111111111'
const BOB = '0xabababababababababababababababababababab'

function read(text: string) {
  writeFileSync(path, text)
  return readPayments(path)
}

test('payments are read, blank lines skipped', () => {
  expect(read(`${ALICE},1\r\n\r\n  \n${BOB} , 0.000001\n`)).toEqual([
    { address: ALICE, amount: 1_000_000n },
    { address: BOB, amount: 1n },
  ])
})

test.each([
  [`${ALICE},one`],
  [`${ALICE},1,000`],
  ['0x11,1'],
])('the line of a mistake is named, blank lines counted: %j', (line) => {
  expect(() => read(`${ALICE},1\n\n${line}\n`)).toThrow(`${path}:3: expected "address,amount"`)
})

test('an address that is listed twice is refused with both lines', () => {
  const upper = getAddress(BOB)
  expect(() => read(`${ALICE},1\n\n${BOB},2\n${upper},2\n`)).toThrow(
    `${path}:4: the address of line 3 again`,
  )
})

test('a payment is written as it is read', () => {
  const payments = [
    { address: ALICE, amount: 1_250_500_000n },
    { address: BOB, amount: 1n },
  ] as const
  expect(read(payments.map(writePayment).join('\n'))).toEqual(payments)
})
