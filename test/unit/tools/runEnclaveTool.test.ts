import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runEnclaveTool } from '../../../tools/enclave/runEnclaveTool.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-enclave-tool-'))
afterAll(() => rmSync(directory, { recursive: true }))

const chains = join(directory, 'chains.json')
const chain = { name: 'base_sepolia', chainId: 84532, bridge: `0x${'11'.repeat(20)}` }
writeFileSync(
  chains,
  JSON.stringify({
    chains: [{ ...chain, startBlock: 1, confirmations: 1, rpcUrls: ['http://127.0.0.1:1'] }],
  }),
)

const SECRET = '5ec2e7'.repeat(11)

/** Runs a command that fails. Returns its message. */
async function failureOf(...args: string[]): Promise<string> {
  const said: string[] = []
  const env = { CHAINS: chains, ENCLAVE_SOCKET: join(directory, 'enclave.sock') }
  const code = await runEnclaveTool(args, env, {
    log: () => {},
    error: (text: string) => void said.push(text),
  })
  expect(code).toBe(1)
  return said.join('\n')
}

test.each([
  ['operator-message', '84532'],
  ['give-root', 'signatures.json'],
  ['accept-root'],
])('%s names a document that is missing or not JSON, and shows none of it', async (name, ...more) => {
  const missing = join(directory, 'missing.json')
  expect(await failureOf(name, missing, ...more)).toBe(
    `${missing} can't be read or written: ENOENT`,
  )
  const broken = join(directory, 'broken.json')
  writeFileSync(broken, `{"sealed": ${SECRET}`)
  expect(await failureOf(name, broken, ...more)).toBe(`${broken} is not JSON`)
})

test.each([
  ['operator-message', { signer: SECRET }, 'transportKey: ', ['84532']],
  [
    'registration-message',
    { chainId: 1, signer: SECRET },
    'signer: expected an address',
    ['84532'],
  ],
  ['registration-call', [SECRET], '', ['0x00']],
  ['accept-root', { sealedRoots: SECRET }, '', []],
])('%s says what is wrong with its document, and shows none of it', async (name, document, problem, more) => {
  const path = join(directory, 'wrong.json')
  writeFileSync(path, JSON.stringify(document))
  const failure = await failureOf(name, path, ...more)
  expect(failure).toContain(`${path} is not this command’s document: ${problem}`)
  expect(failure).not.toContain(SECRET)
})

test.each([
  [['challenge-call'], 'the chain’s id is missing\n'],
  [['challenge-call', 'base_sepolia'], 'base_sepolia is not a chain’s id'],
  [['request-registration', '84532'], 'the operator’s address is missing\n'],
  [
    ['request-registration', '84532', '0x1'],
    'the hash of the challenge’s transaction is missing\n',
  ],
])('%j says which argument is missing or wrong', async (args, complaint) => {
  expect(await failureOf(...args)).toContain(complaint)
})
