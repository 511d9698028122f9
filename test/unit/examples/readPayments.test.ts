import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readPayments } from '../../../examples/payroll/readPayments.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-payments-'))
const path = join(directory, 'payments.csv')
afterAll(() => rmSync(directory, { recursive: true }))

const ALICE = '0x1111111111111111111111111111111111111111'

function read(text: string) {
  writeFileSync(path, text)
  return readPayments(path)
}

test('payments are read, blank lines skipped', () => {
  expect(read(`${ALICE},1\r\n\r\n  \n${ALICE} , 0.000001\n`)).toEqual([
    { address: ALICE, amount: 1_000_000n },
    { address: ALICE, amount: 1n },
  ])
})

test.each([
  [`${ALICE},one`],
  [`${ALICE},1,000`],
  ['0x11,1'],
])('the line of a mistake is named, blank lines counted: %j', (line) => {
  expect(() => read(`${ALICE},1\n\n${line}\n`)).toThrow(`${path}:3: expected "address,amount"`)
})
