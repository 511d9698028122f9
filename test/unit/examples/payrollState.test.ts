import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { awaitRefund } from '../../../examples/payroll/awaitRefund.ts'
import { storeState } from '../../../examples/payroll/storeState.ts'
import type { BatchState } from '../../../sdk/batch/batchState.ts'
import { CairnError } from '../../../sdk/index.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-payroll-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

test('only its owner can read a payroll’s state, also after a crash left a draft', () => {
  const path = join(directory, 'payroll.json')
  writeFileSync(`${path}.new`, 'a draft', { mode: 0o644 })
  const state: BatchState = { version: 1, digest: '0x01', parts: [] }
  storeState(path, state)
  storeState(path, state)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(state)
  expect(readdirSync(directory)).toEqual(['payroll.json'])
})

test('a payroll says once what it waits for, and asks the chain less and less often', async () => {
  let refusals = 8
  const refund = async () => {
    if (refusals-- > 0) throw new CairnError('CONTRACT_REVERTED', 'too early')
    return {} as never
  }
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const late = new CairnError('EXECUTION_TIMEOUT', 'too late')
  const pauses: number[] = []
  const sleep = async (milliseconds: number) => void pauses.push(milliseconds)
  expect(await awaitRefund({ id: 7n, refund }, late, log, sleep)).toEqual({ status: 'refunded' })
  expect(lines).toEqual([expect.stringMatching(/^7 was not delivered.*72 hours.*run it again/)])
  expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000))
})

test('a payroll takes only the chain’s word for a refund', async () => {
  const expired = new CairnError('INTENT_EXPIRED', 'no solver')
  const ended = async (status: string) => {
    const refund = async () => {
      throw new CairnError('INTENT_ENDED', 'over', { details: { status } })
    }
    return (await awaitRefund({ id: 7n, refund }, expired, () => {})).status
  }
  for (const status of ['completed', 'cancelled', 'refunded'])
    expect(await ended(status)).toBe(status)
})
