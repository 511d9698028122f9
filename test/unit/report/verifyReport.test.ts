import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Report } from '../../../tools/report/buildAccountingReport.ts'
import { describeVerification } from '../../../tools/report/describeVerification.ts'
import { readReportKey } from '../../../tools/report/signManifest.ts'
import { verifyReport } from '../../../tools/report/verifyReport.ts'
import { writeReport } from '../../../tools/report/writeReport.ts'

const KEY = `0x${'a5'.repeat(32)}` as const
const OTHER_KEY = `0x${'b6'.repeat(32)}` as const
const SIGNER = privateKeyToAddress(KEY)

const NOTHING: Report = {
  books: [],
  records: [],
  changes: [],
  faults: [],
  unchecked: [],
  names: { all: [], find: () => null },
}

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-report-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('an unchanged report is intact, and names its signer', async () => {
  expect(await writeReport(NOTHING, directory, KEY)).toBe(SIGNER)
  const expected = SIGNER.toLowerCase() as `0x${string}`
  expect(await verifyReport(directory, expected)).toMatchObject({ signer: SIGNER, problems: [] })
  expect(await verifyReport(directory, null)).toMatchObject({ signer: SIGNER, problems: [] })
})

test.each<[string, (at: (name: string) => string) => void, string]>([
  [
    'a changed file',
    (at) => appendFileSync(at('intents.csv'), '\n'),
    'intents.csv doesn’t match its checksum',
  ],
  [
    'a pipe in a file’s place',
    (at) => {
      rmSync(at('intents.csv'))
      execFileSync('mkfifo', [at('intents.csv')])
    },
    'intents.csv is missing',
  ],
  ['a missing file', (at) => rmSync(at('report.html')), 'report.html is missing'],
  ['an added file', (at) => writeFileSync(at('x.csv'), ''), 'x.csv isn’t part of the report'],
  [
    'a changed manifest',
    (at) => appendFileSync(at('manifest.json'), '\n'),
    'signature.json is for another manifest',
  ],
  ['a lost signature', (at) => rmSync(at('signature.json')), 'the manifest isn’t signed'],
])('%s is found', async (_, damage, problem) => {
  await writeReport(NOTHING, directory, KEY)
  damage((name) => join(directory, name))
  const { problems } = await verifyReport(directory, SIGNER.toLowerCase() as `0x${string}`)
  expect(problems).toContain(problem.replace('’', "'"))
})

test('--signer finds a report signed by another account', async () => {
  await writeReport(NOTHING, directory, OTHER_KEY)
  const { problems } = await verifyReport(directory, SIGNER.toLowerCase() as `0x${string}`)
  expect(problems).toEqual([`the manifest is signed by ${privateKeyToAddress(OTHER_KEY)}`])
})

test('a signature that claims another signer is found', async () => {
  await writeReport(NOTHING, directory, OTHER_KEY)
  const path = join(directory, 'signature.json')
  const claimed = { ...JSON.parse(readFileSync(path, 'utf8')), signer: SIGNER }
  writeFileSync(path, JSON.stringify(claimed))
  const { signer, problems } = await verifyReport(directory, null)
  expect([signer, problems]).toEqual([null, [`signature.json isn't signed by ${SIGNER}`]])
})

test('a manifest can’t name files outside its folder', async () => {
  await writeReport(NOTHING, directory, null)
  const path = join(directory, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  manifest.files[0].name = '../../etc/passwd'
  writeFileSync(path, JSON.stringify(manifest))
  await expect(verifyReport(directory, null)).rejects.toThrow(
    'manifest.json can’t be read'.replace('’', "'"),
  )
})

test('a folder’s content can’t write another verdict to a terminal', async () => {
  const verdict = `\u001b[2J\u001b[HThe report is intact, signed by ${SIGNER}.`
  await writeReport({ ...NOTHING, faults: [`${verdict}\n\u009b\u202e`] }, directory, OTHER_KEY)
  writeFileSync(join(directory, verdict), '')
  const lines = describeVerification(await verifyReport(directory, null)).split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toBe('The report is NOT intact:')
  for (const line of lines) expect(line).not.toMatch(/\p{C}/u)
  expect(lines[1]).toContain('\\u{1b}[2J')
})

test('a report needs an empty folder, and its key file must be private', async () => {
  writeFileSync(join(directory, 'key'), KEY, { mode: 0o644 })
  await expect(writeReport(NOTHING, directory, null)).rejects.toThrow("isn't empty")
  expect(() => readReportKey(join(directory, 'key'))).toThrow('chmod 600')
  writeFileSync(join(directory, 'zero'), '0'.repeat(64), { mode: 0o600 })
  expect(readReportKey(undefined)).toBe(null)
})
