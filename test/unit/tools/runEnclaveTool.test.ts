import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeEventTopics } from 'viem'
import { afterAll, describe, expect, test } from 'vitest'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { runEnclaveTool } from '../../../tools/enclave/runEnclaveTool.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

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

const [CHALLENGE_ISSUED] = encodeEventTopics({
  abi: enclaveKeyRegistryAbi,
  eventName: 'ChallengeIssued',
})

const SECRET = '5ec2e7'.repeat(11)

/** Runs a command that fails. Returns its message. */
async function failureOf(...args: string[]): Promise<string> {
  return failureWith(chains, ...args)
}

async function failureWith(path: string, ...args: string[]): Promise<string> {
  const said: string[] = []
  const env = { CHAINS: path, ENCLAVE_SOCKET: join(directory, 'enclave.sock') }
  const code = await runEnclaveTool(args, env, {
    log: () => {},
    error: (text: string) => void said.push(text),
  })
  expect(code).toBe(1)
  return said.join('\n')
}

test('move-gas needs the chain in the file, but no registry', async () => {
  expect(await failureOf('move-gas', '1')).toBe('no chain 1 is configured')
  const asked = performance.now()
  expect(await failureOf('move-gas', '84532')).toMatch(/^ENCLAVE_UNREACHABLE/)
  // A call itself waits half a minute for an enclave that is about to start.
  expect(performance.now() - asked).toBeLessThan(10_000)
})

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

const hex = (bytes: number) => `0x${'22'.repeat(bytes)}`
const SEALED_ROOT = {
  ...{ signer: hex(20), sealedRoots: hex(40) },
  ...{ transportKey: `0x04${'22'.repeat(64)}`, signature: hex(65) },
}
const REGISTRATION = {
  ...{ chainId: 84532, signer: hex(20), eciesKey: `0x04${'22'.repeat(64)}`, operator: hex(20) },
  ...{ challenge: hex(32), deadline: '1', evidence: hex(3), possession: hex(65) },
}
const COMMANDS: Record<string, string[]> = {
  'accept-root': [document('sealed.json', SEALED_ROOT)],
  'request-registration': ['84532', hex(20), hex(32)],
  'registration-call': [document('registration.json', REGISTRATION), hex(65)],
}

function document(name: string, content: object): string {
  const path = join(directory, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

/** A node's answer to one request; other text than JSON is the whole body. */
type Respond = (method: string) => unknown

/** A chains file whose node answers like this. */
async function chainOf(respond: Respond): Promise<string> {
  const url = await serveLocally(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const { id, method } = JSON.parse(body)
    const answer = respond(method)
    if (typeof answer === 'string') response.end(answer)
    else response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(answer as object) }))
  })
  const rpcUrls = [`${url}/${SECRET}`]
  const one = { ...chain, startBlock: 1, confirmations: 1, rpcUrls, registry: hex(20) }
  return document(`chains-${nodes++}.json`, { chains: [one] })
}
let nodes = 0

const NONSENSE: [string, Respond][] = [
  ['HTML', () => '<html>Sign in</html>'],
  ['no object', () => 'null'],
  ['a number', () => ({ result: 5 })],
  ['nothing', () => ({})],
  ['short hex', () => ({ result: '0x1' })],
  ['an endless body', () => `"${'x'.repeat(11 * 1024 * 1024)}"`],
  ['an error that is none', () => ({ error: 'no' })],
]

describe.each(NONSENSE)('a node that answers with %s', (_, respond) => {
  test.each([
    ['accept-root', /eth_(blockNumber|getStorageAt|getProof)/],
    ['request-registration', 'eth_getTransactionReceipt'],
    ['registration-call', 'eth_call'],
  ])('%s names the method and what to do, and not the URL', async (name, method) => {
    const path = await chainOf(respond)
    const failure = await failureWith(path, name, ...COMMANDS[name]!)
    expect(failure).toMatch(method)
    expect(failure).toContain('the node of chain 84532 answers eth_')
    expect(failure).toContain(' with nonsense: name another node first in rpcUrls')
    expect(failure).not.toContain(SECRET)
  })
})

test('a node without the proof is quoted, without what moves the cursor', async () => {
  const path = await chainOf((method) =>
    method === 'eth_getProof'
      ? { error: { code: -32_000, message: 'missing trie node \u001b[2J' } }
      : { result: `0x${'00'.repeat(32)}` },
  )
  expect(await failureWith(path, 'accept-root', ...COMMANDS['accept-root']!)).toBe(
    'the node of chain 84532 refuses to be read (missing trie node [2J): name another node first in rpcUrls',
  )
})

test('a node that refuses can’t write lines of its own', async () => {
  const message = 'no\n\nregistered: nothing is left to do'
  const path = await chainOf(() => ({ error: { code: -32_000, message } }))
  const failure = await failureWith(path, 'accept-root', ...COMMANDS['accept-root']!)
  expect(failure).toContain('refuses to be read (no)')
  expect(failure).not.toContain('\n')
})

test('a proof of fewer slots than asked for is nonsense', async () => {
  const path = await chainOf((method) =>
    method === 'eth_getProof'
      ? { result: { accountProof: [], storageProof: [] } }
      : { result: `0x${'00'.repeat(32)}` },
  )
  const failure = await failureWith(path, 'accept-root', ...COMMANDS['accept-root']!)
  expect(failure).toContain('answers eth_getProof with nonsense')
})

test('a contract that is no registry is named as that', async () => {
  const log = { address: hex(20), topics: [CHALLENGE_ISSUED, hex(32), hex(32)], data: '0x' }
  const receipt = { transactionHash: hex(32), blockNumber: '0x1', gasUsed: '0x1' }
  const path = await chainOf((method) =>
    method === 'eth_call'
      ? { result: '0x1234' }
      : { result: { ...receipt, status: '0x1', logs: [log] } },
  )
  const failure = await failureWith(path, 'request-registration', '84532', hex(20), hex(32))
  expect(failure).toContain('answers eth_call with what no registry answers: check registry')
})
