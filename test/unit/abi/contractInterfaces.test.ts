import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readImportClosure } from '../../../contracts/mutants/readImportClosure.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const interfaces = 'contracts/src/interfaces/'

type Answer = { errors?: { formattedMessage: string }[]; contracts: Record<string, object> }

it('integrators compile the interfaces with the oldest compiler that has custom errors', async () => {
  const sources: Record<string, { content: string }> = {}
  for (const file of await readdir(root + interfaces)) {
    sources[interfaces + file] = { content: await readFile(root + interfaces + file, 'utf8') }
  }
  const { errors = [], contracts } = compile(sources)
  expect(errors.map(({ formattedMessage }) => formattedMessage)).toEqual([])
  expect(Object.keys(contracts)).toContain(`${interfaces}IBridgeIntentV2.sol`)
})

it("no account's code is asked for a signature in the bridge: contracts name recipients by calls", async () => {
  const sources = await readImportClosure(root, 'contracts/src/BridgeIntentV2.sol')
  expect(sources.size).toBeGreaterThan(10)
  const asking = [...sources].filter(([path, source]) =>
    /1271|SignatureChecker/.test(`${path}\n${source}`),
  )
  expect(asking.map(([path]) => path)).toEqual([])
})

/** In a process of its own: the compiler ends whoever loads it at the first unhandled rejection. */
function compile(sources: Record<string, { content: string }>): Answer {
  const compiler = createRequire(import.meta.url).resolve('solc-oldest/solcjs')
  const input = {
    language: 'Solidity',
    sources,
    settings: { outputSelection: { '*': { '*': ['abi'] } } },
  }
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '--standard-json'], {
    input: JSON.stringify(input),
    encoding: 'utf8',
  })
  const [json] = stdout.match(/\{.*\}/s) ?? []
  if (json === undefined) throw new Error(`the compiler gave no answer: ${stdout}${stderr}`)
  return JSON.parse(json)
}
