import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PUSH_TYPES } from '../../../core/push/pushEvent.ts'
import { readServerSentEvents } from '../../../sdk/events/readServerSentEvents.ts'
import { updateJournal } from '../../../services/push/journal/keepJournal.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { lintOpenApi } from '../../rig/lintOpenApi.ts'
import { until } from '../../rig/until.ts'
import { type RunningRole, startRole } from '../roles/startRole.ts'
import { BASE, CHAINS } from './seededApi.ts'
import { SPECIFIED_ENDPOINTS, SPECIFIED_RECORDS } from './specifiedEndpoints.ts'

// A document as JSON is looked at field by field.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Json = any

const run = promisify(execFile)
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'cairn-openapi-'))

let postgres: PostgresUnderTest
let role: RunningRole
let url: string
let document: Json
let operations: { path: string; method: string; operation: Json }[]

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 900, seed: 5, until: 1_790_000_000 })
  writeFileSync(join(directory, 'chains.json'), JSON.stringify({ chains: CHAINS }))
  // With every endpoint there is. The enclave isn't there: what needs it says so.
  role = startRole('api', {
    DATABASE_URL: databaseUrl,
    CHAINS: join(directory, 'chains.json'),
    API_PORT: '0',
    ENCLAVE_SOCKET: join(directory, 'none.sock'),
    ADMIN_TOKENS: 'a'.repeat(32),
    API_READS_PER_SECOND: '1000000',
    API_READS_BURST: '1000000',
  })
  await until(() => role.said().includes('"url":'))
  url = /"url":"([^"]+)"/.exec(role.said())![1]!
  await until(async () => (await fetch(`${url}/ready`)).ok)
  document = await (await fetch(`${url}/openapi.json`)).json()
  writeFileSync(join(directory, 'openapi.json'), JSON.stringify(document))
  symlinkSync(MODULES, join(directory, 'node_modules'))
  operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
})

afterAll(async () => {
  role?.child.kill('SIGTERM')
  await role?.ended
  await postgres?.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** Runs a program of a package under the Node of this test, offline. */
function tool(bin: string, args: string[]) {
  return run(process.execPath, [join(MODULES, bin), ...args], {
    cwd: directory,
    maxBuffer: 2 ** 24,
  })
}

describe('the document', () => {
  test('is clean by redocly’s recommended rules', async () => {
    expect(await lintOpenApi(document)).toEqual([])
  })

  test('is clean by spectral’s rules', async () => {
    writeFileSync(join(directory, 'rules.yaml'), 'extends: ["spectral:oas"]\n')
    const { stdout } = await tool('@stoplight/spectral-cli/dist/index.js', [
      ...['lint', 'openapi.json', '-r', 'rules.yaml', '-f', 'json', '--fail-severity', 'hint'],
    ])
    expect(stdout).toMatch(/^\[\]\s*No results/)
  })

  test('has unique operation ids, tags and headers', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z][a-zA-Z]{4,30}$/)
    const tags = new Set(document.tags.map(({ name }: Json) => name))
    for (const { path, operation } of operations) {
      expect(
        operation.tags.every((tag: string) => tags.has(tag)),
        path,
      ).toBe(true)
      for (const answer of Object.values<Json>(operation.responses))
        expect(Object.keys(answer.headers), path).toContain('X-Request-Id')
      expect(operation.responses[429].headers, path).toHaveProperty('Retry-After')
    }
  })
})

describe('the specification', () => {
  const wordsOf = (text = '') => text.split(' ').filter(Boolean)
  const resolve = (schema: Json): Json =>
    schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema

  test.each(Object.entries(SPECIFIED_ENDPOINTS))('has %s', (endpoint, specified) => {
    const [method, path] = endpoint.split(' ') as [string, string]
    const { parameters, requestBody, responses } = document.paths[path][method]
    const body = resolve(requestBody?.content['application/json'].schema ?? {})
    const required = [
      ...parameters.flatMap((one: Json) => (one.required ? one.name : [])),
      ...(body.required ?? []),
    ]
    const known = [
      ...parameters.map(({ name }: Json) => name),
      ...Object.keys(body.properties ?? {}),
    ]
    // A client that sends only what the specification names is understood.
    expect(new Set(required)).toEqual(new Set(wordsOf(specified.required)))
    expect(known).toEqual(expect.arrayContaining(wordsOf(specified.optional)))
    const answer = resolve(responses[200].content['application/json'].schema)
    expect(answer.required).toEqual(expect.arrayContaining(wordsOf(specified.answer)))
    const failures = [429, ...(specified.failures ?? [])].map(String)
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(failures))
  })

  test.each(Object.entries(SPECIFIED_RECORDS))('has the fields of %s', (name, fields) => {
    const { required } = document.components.schemas[name]
    expect(required).toEqual(expect.arrayContaining(wordsOf(fields)))
  })
})

/** A request as a page that tries endpoints out makes it: whatever has an example is filled in. */
function asTriedOut({
  path,
  method,
  operation,
}: (typeof operations)[number]): [string, RequestInit] {
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  let filled = path
  for (const { name, in: place, example, schema } of operation.parameters) {
    const value = example ?? schema.example
    if (value === undefined) continue
    if (place === 'path') filled = filled.replace(`{${name}}`, value)
    if (place === 'query') query.set(name, value)
    if (place === 'header') headers[name] = value
  }
  const body = operation.requestBody?.content['application/json'].example
  if (body !== undefined) headers['content-type'] = 'application/json'
  const init = { method: method.toUpperCase(), headers, body: body && JSON.stringify(body) }
  return [`${url}${filled}?${query}`, init]
}

/** What can't be had with an example: it takes a signature, a token, an enclave, or a node of the chain. */
const NEEDS_MORE = new Set([
  ...['settleIntent', 'registerSolver', 'getEciesPublicKey', 'storeRecipients', 'getRecipients'],
  ...['storeIntentMetadata', 'getPrivateDetails', 'registerRecipient', 'listStealthAddresses'],
  ...['generateStealthAddress', 'deriveStealthKey', 'deploySafe', 'relaySafeTransaction'],
  ...['listStoredIntents', 'deleteRecipients', 'listStuckIntents', 'getIntentProof'],
  ...['getAnchor', 'getReveal', 'getAttestation'],
  ...['listWebhooks', 'registerWebhook', 'listWebhookDeliveries', 'rotateWebhookSecret'],
  ...['replayWebhook', 'disableWebhook', 'enableWebhook'],
])

test('the types of a tranche’s events are among those documented', async () => {
  const get = async (path: string): Promise<Json> => (await fetch(`${url}${path}`)).json()
  const { orders } = await get('/order-details?limit=1')
  const { order } = await get(`/order-details/${orders[0].id}`)
  const { events } = await get(`/intents/${order.tranches[0].intentId}/events`)
  const types = events.map(({ type }: Json) => type)
  expect(types).toContain('TrancheFired')
  expect(document.components.schemas.Event.properties.type.enum).toEqual(
    expect.arrayContaining(types),
  )
})

test('examples that need no signature get 200', async () => {
  const tried: string[] = []
  for (const one of operations) {
    if (NEEDS_MORE.has(one.operation.operationId)) continue
    const [address, init] = asTriedOut(one)
    const answer = await fetch(address, init)
    expect([address, answer.status, answer.ok ? '' : await answer.text()]).toEqual([
      address,
      200,
      '',
    ])
    tried.push(one.operation.operationId)
  }
  expect(tried.length).toBeGreaterThanOrEqual(11)
})

test('304 is documented exactly where it is answered', async () => {
  for (const one of operations) {
    const { operationId, responses } = one.operation
    if (one.method !== 'get' || NEEDS_MORE.has(operationId)) continue
    const [address, init] = asTriedOut(one)
    const etag = (await fetch(address, init)).headers.get('etag')
    expect([operationId, etag !== null]).toEqual([operationId, '304' in responses])
    if (etag === null) continue
    const again = await fetch(address, { headers: { 'if-none-match': etag } })
    expect([operationId, again.status]).toEqual([operationId, 304])
  }
})

/** Compiles what a generator made, and a program that uses it, strictly. */
async function compiled(name: string): Promise<Json> {
  const at = join(directory, name)
  writeFileSync(
    join(at, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'ES2023',
        lib: ['ES2023', 'DOM', 'DOM.Iterable'],
        strict: true,
        types: [],
        module: 'Node16',
        moduleResolution: 'Node16',
        skipLibCheck: true,
        outDir: 'out',
      },
      include: ['.'],
    }),
  )
  writeFileSync(join(at, 'package.json'), JSON.stringify({ type: 'commonjs' }))
  const { stdout } = await tool('typescript-native/bin/tsc', ['-p', at, '--checkers', '1']).catch(
    (error: Json) => error,
  )
  expect(stdout).toBe('')
  return createRequire(import.meta.url)(join(at, 'out/program.js'))
}

test('a client of openapi-typescript and openapi-fetch compiles and runs', async () => {
  mkdirSync(join(directory, 'fetching'))
  await tool('openapi-typescript/bin/cli.js', ['openapi.json', '-o', 'fetching/schema.ts'])
  writeFileSync(
    join(directory, 'fetching/program.ts'),
    `import createClient from 'openapi-fetch'
import type { paths, operations } from './schema'
export type Page = operations['listIntents']['responses'][200]['content']['application/json']
export async function newest(baseUrl: string): Promise<string> {
  const client = createClient<paths>({ baseUrl })
  const page = await client.GET('/intents', { params: { query: { limit: '1' as never } } })
  const intentId: string = page.data?.intents[0]?.intentId ?? ''
  const one = await client.GET('/intent-details/{intentId}', { params: { path: { intentId } } })
  const wrong = await client.GET('/intent-details/{intentId}', { params: { path: { intentId: '1' } } })
  return [one.data?.intent.intentId === intentId, wrong.error?.code].join(' ')
}
`,
  )
  const { newest } = await compiled('fetching')
  expect(await newest(url)).toBe('true INTENT_NOT_FOUND')
})

test('a client of hey-api has sensible function names, compiles and runs', async () => {
  mkdirSync(join(directory, 'generated'))
  await tool('@hey-api/openapi-ts/bin/run.js', [
    ...['-i', 'openapi.json', '-o', 'generated/client', '-c', '@hey-api/client-fetch', '--silent'],
  ])
  writeFileSync(
    join(directory, 'generated/program.ts'),
    `import { getIntent, listIntents, verifyIntent } from './client'
import { client } from './client/client.gen'
export async function newest(baseUrl: string): Promise<string> {
  client.setConfig({ baseUrl })
  const { data } = await listIntents({})
  const intentId: string = data?.intents[0]?.intentId ?? ''
  const one = await getIntent({ path: { intentId } })
  const check = await verifyIntent({ body: { intentId, network: 'base_sepolia' } })
  return [one.data?.intent.intentId === intentId, typeof check.data?.solved].join(' ')
}
`,
  )
  const { newest } = await compiled('generated')
  expect(await newest(url)).toBe('true boolean')
})

/** Records the seeded history's events and those that it lacks: an order's cancellation, and a reorg's. */
async function recordEvents(): Promise<string> {
  const client = await postgres.connect()
  const { db, close } = openDatabase({ databaseUrl: postgres.databaseUrl })
  const latest = async (select: string, order: string) =>
    (await client.query(`${select} order by ${order} desc limit 1`)).rows[0].id
  const tables = `cairn_${BASE}_seeded`
  const closed = await latest(
    `select order_id as id from ${tables}.scheduled_order where close_reason = 'filled'`,
    'funded_at',
  )
  await client.query(
    `update ${tables}.scheduled_order set close_reason = 'user_cancel' where order_id = '${closed}'`,
  )
  await updateJournal(db)
  const settled = await latest(
    `select intent_id as id from ${tables}.intent where phase = 'completed'`,
    'settled_at',
  )
  await client.query(`begin;
    delete from ${tables}.event where intent_id = ${settled} and type = 'IntentSettled';
    update ${tables}.intent set phase = 'deposited', settle_tx_hash = null, settled_at = null
      where intent_id = ${settled};
    insert into app.push_pending values (${BASE}, ${settled});
    commit`)
  await updateJournal(db)
  await close()
  return latest('select sequence::text as id from app.push_event', 'sequence')
}

test('events of each type match the schema that webhooks and streams refer to', async () => {
  const reference = { $ref: '#/components/schemas/PushEvent' }
  const { '/events': events } = document.paths
  const stream = events.get.responses[200].content['text/event-stream']
  const delivery = document.webhooks.event.post.requestBody.content['application/json']
  expect([stream.schema, delivery.schema]).toEqual([reference, reference])
  // Strict, so that no field goes undescribed.
  const text = JSON.stringify(document.components.schemas.PushEvent)
  const schema = z.fromJSONSchema(
    JSON.parse(text, (_, part) =>
      part?.properties ? { ...part, additionalProperties: false } : part,
    ),
  )
  const newest = await recordEvents()
  const types = new Set<string>()
  const { body } = await fetch(`${url}/events?lastEventId=0`)
  for await (const { id, data } of readServerSentEvents(body!)) {
    const event = JSON.parse(data)
    expect(schema.safeParse(event).error?.issues, data).toBeUndefined()
    types.add(event.type)
    if (id === newest) break
  }
  expect(types).toEqual(new Set(PUSH_TYPES))
})
