import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { requireWritableFolder } from '../../../tools/requireWritableFolder.ts'
import { runProgram } from '../../runProgram.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-folder-'))
const file = join(directory, 'file')
writeFileSync(file, '')
const chains = join(directory, 'chains.json')
const chain = {
  name: 'base_sepolia',
  chainId: 84532,
  bridge: `0x${'11'.repeat(20)}`,
  startBlock: 1,
}
const nobody = { confirmations: 1, rpcUrls: ['http://127.0.0.1:1'] }
writeFileSync(chains, JSON.stringify({ chains: [{ ...chain, ...nobody }] }))
const env = {
  CHAINS: chains,
  DATABASE_URL: 'postgres://127.0.0.1:1/cairn',
  ENCLAVE_SOCKET: join(directory, 'socket'),
}
afterAll(() => rmSync(directory, { recursive: true }))

test('creates a folder that isn’t there', () => {
  requireWritableFolder('--export', join(directory, 'a', 'b'))
  expect(existsSync(join(directory, 'a', 'b'))).toBe(true)
})

test.each([file, join(file, 'below')])('%s is no folder', (path) => {
  expect(() => requireWritableFolder('--export', path)).toThrow('choose another folder')
})

test.skipIf(!existsSync('/proc/self'))(
  'a folder that can’t be made is refused, not tried for ever',
  () => {
    expect(() => requireWritableFolder('--out', '/proc/reports/may')).toThrow(
      /^--out: can't write to .* \(ENOENT\): choose another folder$/,
    )
  },
)

test.each([
  ['report', '--out', join(file, 'report')],
  ['replay', '--export', file],
  ['recover', '--certificate', join(file, 'certificate.json')],
])('%s looks at its folder before it reads any chain', async (tool, option, path) => {
  const program = fileURLToPath(new URL(`../../../tools/${tool}/main.ts`, import.meta.url))
  const { code, stderr } = await runProgram(program, [option, path], { env })
  expect(stderr).toContain(`${option}: can't write to ${file}`)
  expect(code).toBe(2)
})

test('recover names all that its environment lacks at once', async () => {
  const program = fileURLToPath(new URL('../../../tools/recover/main.ts', import.meta.url))
  const { code, stderr } = await runProgram(program, [])
  for (const name of ['DATABASE_URL', 'CHAINS', 'ENCLAVE_ROOT_FILE or ENCLAVE_SOCKET'])
    expect(stderr).toContain(name)
  expect(code).toBe(2)
})
