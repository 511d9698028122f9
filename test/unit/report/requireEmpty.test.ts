import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { requireEmpty } from '../../../tools/report/writeReport.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-report-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('the check of the folder leaves none behind, for a report that fails later', async () => {
  const out = join(directory, 'new')
  await requireEmpty(out)
  expect(existsSync(out)).toBe(false)
  mkdirSync(out)
  await requireEmpty(out)
  writeFileSync(join(out, 'other'), '')
  await expect(requireEmpty(out)).rejects.toThrow("isn't empty: choose another folder with --out")
  await expect(requireEmpty(join(out, 'other'))).rejects.toThrow("can't be used")
})
