import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encrypt } from 'eciesjs'
import { bytesToHex, hexToBytes, stringToBytes } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../services/devnet/startAnvil.ts'
import { enclaveChains } from '../../../services/enclave/chains.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { chainConfig } from '../../integration/rest/seededApi.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { exampleBodies, type OpenApiDocument } from './exampleOf.ts'
import { drawing, type Known, malformedRequest, type Target } from './malformedRequest.ts'

/** `npm run test:fuzz` asks for 100,000; the seed of a run that failed is in its message. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000)
const SEED = Number(process.env.FUZZ_SEED ?? 17)
const AT_ONCE = 8
/** Megabytes that the API may grow by after it has warmed up. */
const GROWTH = 96

const ADMIN_TOKEN = 'an-admin-token-that-has-32-bytes-and-more'
const CANARY = `0x${'ca9a7'.repeat(8)}`
const CANARY_AMOUNT = '77345112'

const directory = mkdtempSync(join(tmpdir(), 'cairn-malformed-'))
const stops: (() => Promise<unknown>)[] = []
let postgres: PostgresUnderTest
let api: ChildProcess
let url = ''
let said = ''

/** The API as an operator runs it, so that its memory and all that it writes are its own. */
beforeAll(async () => {
  chmodSync(directory, 0o700)
  postgres = await startPostgresUnderTest()
  stops.push(() => postgres.stop())
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 40, seed: 5, until: Math.floor(Date.now() / 1_000) })
  const nodes = await Promise.all([84_532, 2_651_420].map(startNode))
  const names = ['base_sepolia', 'horizen_testnet']
  const chains = nodes.map(({ chainId, rpc }, at) => chainConfig(names[at]!, chainId, rpc))
  writeFileSync(join(directory, 'chains.json'), JSON.stringify({ chains }))
  const roots = [new Uint8Array(32).fill(9)] as const
  const enclave = await createEnclave({ roots: [...roots], chains: enclaveChains(chains) })
  const socket = join(directory, 'enclave.sock')
  const served = await serveEnclave(enclave, socket)
  stops.push(() => served.stop())
  api = spawn(process.execPath, ['services/main.ts', 'api'], {
    env: {
      ...{ PATH: process.env.PATH, DATABASE_URL: databaseUrl, ENCLAVE_SOCKET: socket },
      ...{ CHAINS: join(directory, 'chains.json'), LOG_LEVEL: 'debug', API_PORT: '0' },
      ...{ ADMIN_TOKENS: ADMIN_TOKEN, API_READS_PER_SECOND: '100000', API_READS_BURST: '100000' },
      // Each request is another client's, whom limits of each client then don't keep from the handlers.
      TRUSTED_PROXIES: '127.0.0.1',
      ...{ API_WRITES_PER_SECOND: '100000', API_WRITES_BURST: '100000' },
      ...{ API_CLIENT_WRITES_PER_SECOND: '100000', API_CLIENT_WRITES_BURST: '100000' },
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  for (const stream of [api.stdout, api.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk
    })
  }
  url = await new Promise<string>((resolve, reject) => {
    api.on('message', (message: { type?: string; url?: string }) => {
      if (message.type === 'ready' && message.url) resolve(message.url)
    })
    api.on('exit', () => reject(new Error(said)))
  })
})

afterAll(async () => {
  if (api?.exitCode === null) {
    api.kill('SIGTERM')
    await once(api, 'exit')
  }
  for (const stop of stops.reverse()) await stop()
  rmSync(directory, { recursive: true, force: true })
})

async function startNode(chainId: number): Promise<RunningAnvil & { chainId: number }> {
  const node = await startAnvil({ chainId, blockTime: 3_600 })
  stops.push(() => node.stop())
  return { ...node, chainId }
}

it(`${REQUESTS} malformed requests over all routes: no fault, no crash, no growth, no secret said`, async () => {
  const { targets, known } = await whatToSpoil()
  const draw = drawing(SEED)
  const faults: string[] = []
  const seen = new Map<number, number>()
  const asked = new Set<string>()
  let warm = 0
  let sent = 0
  const work = async () => {
    while (sent < REQUESTS && faults.length < 5) {
      sent += 1
      if (sent === Math.floor(REQUESTS / 2)) warm = residentMegabytes()
      const request = malformedRequest(draw, targets, known)
      asked.add(request.target)
      const { status, fault } = await askPatiently(request)
      seen.set(status, (seen.get(status) ?? 0) + 1)
      if (fault) faults.push(fault)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const growth = residentMegabytes() - warm
  const answered = [...seen].toSorted(([one], [next]) => one - next)
  const words = `seed ${SEED}, statuses ${JSON.stringify(answered)}, ${Math.round(growth)} MB grown`
  console.log(words)
  expect(faults, words).toEqual([])
  expect(api.exitCode, words).toBe(null)
  expect(growth, words).toBeLessThan(GROWTH)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  expect(
    targets.filter(({ method, path }) => !asked.has(`${method} ${path}`)),
    words,
  ).toEqual([])
  // Requests that were nearly right did come through.
  expect(seen.get(200) ?? 0, words).toBeGreaterThan(REQUESTS / 100)
  for (const secret of [CANARY.slice(2), CANARY_AMOUNT, ADMIN_TOKEN]) {
    expect(said.toLowerCase()).not.toContain(secret.toLowerCase())
  }
  const { rows } = await (await postgres.connect()).query('select sealed from app.bundle')
  for (const { sealed } of rows) expect(sealed.toString('hex')).not.toContain(CANARY.slice(2))
}, 1_800_000)

/** A key as people paste it, and the words that a wallet is restored from. */
const PASTED = [
  `0x${'5ec2e7'.repeat(10)}5ec2`,
  `${'5ec2e7'.repeat(10)}5ec2`,
  'legal winner thank year wave sausage worth useful legal winner thank yellow',
]

it('a secret that a caller sends by mistake comes back in no answer and is in no line of the log', async () => {
  const { targets, known } = await whatToSpoil()
  const told: string[] = []
  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' }
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, init)
    const text = `${await response.text()} ${JSON.stringify([...response.headers])}`
    if (PASTED.some((secret) => text.includes(secret))) told.push(`${method} ${path}: ${text}`)
  }
  const pasteInto = async ({ method, path }: Target) => {
    for (const secret of PASTED) {
      const [id = ''] = known.intentIds
      const at = (value: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(value))
      await send(method, `${at(id)}?${encodeURIComponent(secret)}=1`, bodyOf(method, {}))
      await send(method, `${at(id)}?limit=${encodeURIComponent(secret)}`, bodyOf(method, {}))
      await send(method, at(secret), bodyOf(method, {}))
      const good = known.bodies[path]
      if (good === undefined || bodyOf(method, good) === undefined) continue
      await send(method, path, { ...good, [secret]: 1 })
      await send(method, path, { ...good, metadata: { [secret]: 1 } })
      for (const name of Object.keys(good)) {
        await send(method, path, { ...good, [name]: secret })
        await send(method, path, { ...good, [name]: { [secret]: secret } })
      }
    }
  }
  // GraphQL shows where in its caller's own query something is wrong.
  await Promise.all(targets.filter(({ path }) => path !== '/graphql').map(pasteInto))
  expect(told).toEqual([])
  for (const secret of PASTED) expect(said).not.toContain(secret)
}, 300_000)

function bodyOf(method: string, body: object): object | undefined {
  return method === 'POST' || method === 'PUT' ? body : undefined
}

type Request = ReturnType<typeof malformedRequest>

/** A 503 says "later": a machine that was busy for a moment passes, a request that breaks something doesn't. */
async function askPatiently(request: Request) {
  let answer = await ask(request)
  for (let again = 1; again <= 3 && answer.status === 503 && answer.fault; again++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    answer = await ask(request)
  }
  return answer
}

async function ask(request: Request): Promise<{ status: number; fault: string | null }> {
  const { method, path, headers, body } = request
  const shown = `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${body?.slice(0, 500)}`
  try {
    const init = {
      method,
      headers,
      signal: AbortSignal.timeout(20_000),
      redirect: 'manual' as const,
    }
    const response = await fetch(`${url}${path}`, body === undefined ? init : { ...init, body })
    const text = await response.text()
    return { status: response.status, fault: faultOf(path, response, text, shown) }
  } catch (error) {
    return { status: 0, fault: `${shown}: ${String(error)}` }
  }
}

/**
 * These blocks are made up: no node can prove them, or tell their time, and their blobs name nobody. The
 * endpoints say so.
 */
const UNPROVABLE = /\/proof($|\?)|asOfBlock=|^\/get-recipients\//

function faultOf(path: string, { status, headers }: Response, text: string, shown: string) {
  if (status >= 500 && !(status === 503 && UNPROVABLE.test(path))) {
    return `${status} ${text.slice(0, 200)} to ${shown}`
  }
  const isJson = headers.get('content-type')?.includes('json') ?? false
  if (status >= 400 && !path.startsWith('/graphql') && !(isJson && isRefusal(text))) {
    return `not in the one shape: ${text.slice(0, 200)} to ${shown}`
  }
  if (/\bat .*\.ts:\d+|postgres:\/\/|node_modules/.test(text)) return `says too much: ${shown}`
  return null
}

function isRefusal(text: string): boolean {
  const { success, error, code, requestId } = JSON.parse(text)
  return success === false && [error, code, requestId].every((word) => typeof word === 'string')
}

async function whatToSpoil(): Promise<{ targets: Target[]; known: Known }> {
  const document: OpenApiDocument = await (await fetch(`${url}/openapi.json`)).json()
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
  const targets = [
    ...described,
    ...[
      { method: 'POST', path: '/graphql' },
      { method: 'PUT', path: '/store-recipients' },
    ],
    ...[
      { method: 'POST', path: '/nowhere' },
      { method: 'DELETE', path: '/intents' },
    ],
  ]
  const { intents } = await (await fetch(`${url}/intents?limit=40`)).json()
  const { publicKey } = await (await fetch(`${url}/ecies-pubkey`)).json()
  const [{ intentId, sourceChainId, sender, tokenA, tokenB }] = intents
  const winners: string[] = intents.flatMap(
    ({ solverAddress }: { solverAddress: string | null }) =>
      solverAddress === null ? [] : [solverAddress],
  )
  const bundle = JSON.stringify({ recipients: [CANARY], amounts: [CANARY_AMOUNT] })
  const encryptedData = bytesToHex(encrypt(hexToBytes(publicKey), stringToBytes(bundle)))
  const chainId = Number(sourceChainId)
  const route = { sourceChain: 'base_sepolia', destChain: 'horizen_testnet', tokenA, tokenB }
  return {
    targets,
    known: {
      intentIds: intents.map((intent: { intentId: string }) => intent.intentId),
      addresses: [sender, tokenA, tokenB, sender.toLowerCase(), ...winners],
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        'x-timestamp': String(Math.floor(Date.now() / 1_000)),
        'x-solver-address': winners[0] ?? sender,
        'x-reader-address': sender,
      },
      bodies: {
        ...exampleBodies(document, sender),
        '/store-recipients': openIntent(intents, chainId, encryptedData),
        '/verify': { intentId, network: 'base_sepolia' },
        '/get-routes': route,
        '/register-solver': { solverAddress: sender, routes: [route] },
        '/intent-metadata': { intentId, chainId, metadata: { a: 'b' }, viewers: [sender] },
        '/graphql': { query: '{ _meta { chains { chainId } } }' },
        '/settle': {
          ...{ intentId, network: 'base_sepolia', chain2IntentId: '1', solverAddress: sender },
          ...{ destinationChain: 'horizen_testnet', depositTxHash: `0x${'1'.repeat(64)}` },
          solveTxHash: `0x${'2'.repeat(64)}`,
        },
        plaintext: { intentId, chainId, recipients: [CANARY], amounts: [CANARY_AMOUNT] },
      },
    },
  }
}

/** For an intent that is open, where there is one. */
function openIntent(
  intents: { intentId: string; status: string; sourceChainId: string }[],
  chainId: number,
  encryptedData: string,
): object {
  const open = intents.find(({ status }) => status === 'pending')
  return {
    intentId: open?.intentId ?? intents[0]?.intentId,
    chainId: open ? Number(open.sourceChainId) : chainId,
    encryptedData,
  }
}

/** What the API holds in memory at present; 0 where the system doesn't say. */
function residentMegabytes(): number {
  try {
    const pages = Number(readFileSync(`/proc/${api.pid}/statm`, 'utf8').split(' ')[1])
    return (pages * 4_096) / 2 ** 20
  } catch {
    return 0
  }
}
