import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { foldInto } from './foldInto.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cairn-ponder-'))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

/** A package that says it is Ponder of a version. @returns the URL of its entry module. */
async function ponderOf(version: string): Promise<string> {
  await mkdir(join(directory, 'dist/esm'), { recursive: true })
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name: 'ponder', version }))
  await cp(new URL(import.meta.resolve('ponder')), join(directory, 'dist/esm/index.js'))
  return pathToFileURL(join(directory, 'dist/esm/index.js')).href
}

// Neither database nor node: a refusal must come before anything is touched.
const chain = {
  name: 'base_sepolia',
  chainId: 84532,
  rpcUrls: ['http://127.0.0.1:1'],
  bridge: `0x${'11'.repeat(20)}` as const,
  startBlock: 7,
  confirmations: 1,
}
const databaseUrl = 'postgres://nobody@127.0.0.1:1/nothing'
const target = { chain, databaseUrl, schema: 'untouched' }

test('another version of Ponder is refused with a clear reason', async () => {
  const ponderEntry = await ponderOf('0.17.8')
  expect(await foldInto(target, { ponderEntry })).toMatchObject({
    status: 'refused',
    reason: 'Ponder 0.17.8 is installed; only the tables of 0.17.7 are supported',
    startBlock: 7,
  })
})

test('the right version of Ponder is refused when it lacks a part that the fold needs', async () => {
  const ponderEntry = await ponderOf('0.17.7')
  expect(await foldInto(target, { ponderEntry })).toMatchObject({
    status: 'refused',
    reason: 'Ponder 0.17.7 lacks a part that the fold needs',
    startBlock: 7,
  })
})
