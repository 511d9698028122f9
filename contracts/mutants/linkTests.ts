import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forge } from '../forge.ts'

/** In place of the compiler: keeps what it was asked to compile, and fails. */
const keeper = `#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs'
if (process.argv.includes('--version')) {
  process.stdout.write('solc, the solidity compiler\\nVersion: 0.8.30\\n')
} else {
  writeFileSync('compiler-input.json', readFileSync(0))
  const error = { severity: 'error', type: 'Kept', component: 'general', message: 'input kept' }
  process.stdout.write(JSON.stringify({ errors: [error] }))
}
`

/**
 * Rewrites the tests of a copy so that they load contracts by name when they run, as forge does it
 * under dynamic_test_linking, but once: with that option forge rewrites them on every start, which
 * takes longer than all unit tests.
 *
 * @param root Of the copy.
 * @param environment In which its tests will run.
 */
export async function linkTests(root: string, environment: Record<string, string>): Promise<void> {
  const kept = join(root, 'compiler-input.json')
  await writeFile(join(root, 'contracts/keeper'), keeper, { mode: 0o755 })
  const { output } = await forge(['build', 'contracts/src', 'contracts/test'], {
    root,
    env: {
      ...environment,
      FOUNDRY_DYNAMIC_TEST_LINKING: 'true',
      FOUNDRY_SOLC: './contracts/keeper',
      FOUNDRY_CACHE_PATH: 'contracts/keeper-cache',
    },
  })
  const input = await readFile(kept, 'utf8').catch(() => {
    throw new Error(`forge didn't ask for a compilation:\n${output}`)
  })
  const sources: Record<string, { content: string }> = JSON.parse(input).sources
  for (const [path, { content }] of Object.entries(sources)) {
    if (path.startsWith('node_modules/')) continue
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  await rm(kept)
}
