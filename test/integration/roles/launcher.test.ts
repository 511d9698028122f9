import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { awaitAllEnded, descendantsOf } from '../../rig/devnetProcess.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { until } from '../../rig/until.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'cairn-launcher-'))

/** The machine's own Node and npm, not those that the project brings: 20 or later. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter)

const started = new Set<ChildProcess>()
let env: Record<string, string>

beforeAll(async () => {
  const port = await findDeadPort()
  const chain = { name: 'base_sepolia', chainId: 84532, startBlock: 1, confirmations: 1 }
  const rpcUrls = [`http://127.0.0.1:${port}`]
  const CHAINS = join(directory, 'chains.json')
  writeFileSync(
    CHAINS,
    JSON.stringify({ chains: [{ ...chain, rpcUrls, bridge: `0x${'b1'.repeat(20)}` }] }),
  )
  // Nothing listens there: the API waits for its database.
  env = { PATH, CHAINS, API_PORT: '0', DATABASE_URL: `postgres://cairn@127.0.0.1:${port}/cairn` }
})

afterEach(() => {
  for (const child of started) child.kill('SIGKILL')
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

function launch(...args: string[]) {
  const child = spawn('node', ['tools/cairn.js', ...args], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as string | number)
  ended.then(() => started.delete(child))
  return { child, said: () => output, ended }
}

test('the launcher runs on the machine’s own Node and lists roles and tools', async () => {
  const { ended, said } = launch('--help')
  expect(await ended).toBe(0)
  expect(said()).toMatch(/^npx cairn <role>/)
  for (const name of ['indexer', 'api', 'reactions', 'enclave', 'solver', 'replay', 'verify'])
    expect(said()).toMatch(new RegExp(`^  ${name} `, 'm'))
})

test.each([
  [['nonsense'], 2, 'There is no role "nonsense": npx cairn --help lists'],
  [['api', '--port', '8080'], 2, 'The role api takes no options, but got "--port 8080"'],
  [['replay', '--help'], 0, 'Replays the whole history'],
  [['verify'], 2, 'name a proof file'],
  [['report', '--help'], 0, 'Reports what bridges and vaults did'],
  [['recover', '--help'], 0, 'recover'],
  [['sweep', '--help'], 0, 'sweep'],
])('%j goes to its program, whose exit code is kept', async (args, code, words) => {
  const { ended, said } = launch(...args)
  expect(await ended).toBe(code)
  expect(said()).toContain(words)
})

test('SIGTERM to the launcher shuts its role down cleanly', async () => {
  const { child, ended, said } = launch('api')
  await until(() => said().includes('listening'))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(said()).toContain('"why":"SIGTERM","msg":"stopping"')
  expect(said()).toMatch(/"msg":"stopped"/)
})

test('killing the launcher ends its role', async () => {
  const { child, said } = launch('api')
  await until(() => said().includes('listening'))
  const roles = descendantsOf(child.pid as number)
  expect(roles).toHaveLength(1)
  child.kill('SIGKILL')
  await awaitAllEnded(roles)
})

test('a first install shows no warning about the Node that npm runs on', () => {
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(join(ROOT, name), join(directory, name))
  const { HOME = '' } = process.env
  const output = execFileSync(
    'sh',
    ['-c', 'npm install --dry-run --offline --ignore-scripts 2>&1'],
    {
      cwd: directory,
      env: { PATH, HOME },
      encoding: 'utf8',
    },
  )
  expect(output).toMatch(/added \d+ packages/)
  expect(output).not.toContain('EBADENGINE')
})
