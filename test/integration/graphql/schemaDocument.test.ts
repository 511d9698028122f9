import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { unpackDebianPackages } from '../../rig/unpackDebianPackages.ts'
import { type SeededApi, startSeededApi } from '../rest/seededApi.ts'

let api: SeededApi
let introspection: IntrospectionQuery

beforeAll(async () => {
  api = await startSeededApi({ intents: 5, routes: [createGraphqlRoutes({ onProblem: () => {} })] })
  const query = getIntrospectionQuery({ specifiedByUrl: true, directiveIsRepeatable: true })
  introspection = (await api.post('/graphql', { query })).body.data
})

afterAll(() => api?.stop())

test('every type has a description, and every scalar the address of its specification', () => {
  const own = introspection.__schema.types.filter(
    ({ name }) => !/^(__.*|Int|Float|String|Boolean|ID)$/.test(name),
  )
  const silent = own.filter(({ description }) => !description).map(({ name }) => name)
  expect(silent).toEqual([])
  for (const type of own) {
    if (type.kind === 'SCALAR') expect(type.specifiedByURL, type.name).toMatch(/^https:\/\//)
  }
  // Written in the schema document too.
  const bigInt = own.find(({ name }) => name === 'BigInt')
  expect(bigInt?.description).toContain('as a decimal string')
})

/** Allowed places of directives in the specification of October 2021, which schema builders follow. */
const PLACES = `QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT
  VARIABLE_DEFINITION SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM
  ENUM_VALUE INPUT_OBJECT INPUT_FIELD_DEFINITION`

test('directives appear only where every implementation accepts them', () => {
  const known = new Set(PLACES.split(/\s+/))
  for (const { name, locations } of introspection.__schema.directives)
    for (const place of locations) expect(known.has(place), `@${name} on ${place}`).toBe(true)
})

const BUILD = `
import json, sys, graphql
answer = json.load(sys.stdin)
if graphql.__version__.startswith('2.'):
    schema = graphql.build_client_schema(answer)
    print(schema.get_type('Intent').description)
else:
    schema = graphql.build_client_schema(answer)
    graphql.build_schema(graphql.print_schema(schema))
    print(schema.type_map['Intent'].description)
`

/** The machine's own, or Debian's: an older builder is stricter. */
function findGraphqlCore(): { PYTHONPATH?: string } | null {
  if (spawnSync('python3', ['-c', 'import graphql']).status === 0) return {}
  const packages = ['python3-graphql-core', 'python3-promise', 'python3-rx', 'python3-six']
  if (spawnSync('python3', ['--version']).status !== 0) return null
  const files = unpackDebianPackages(...packages)
  if (files === null) return null
  return { PYTHONPATH: join(files, 'usr/lib/python3/dist-packages') }
}

test('graphql-core builds the schema', ({ skip }) => {
  const found = findGraphqlCore()
  if (found === null) return skip('no graphql-core here, and no apt to get it by')
  const input = JSON.stringify(introspection)
  const env = { ...process.env, ...found }
  const run = spawnSync('python3', ['-c', BUILD], { input, encoding: 'utf8', env })
  expect([run.status, run.stderr]).toEqual([0, ''])
  expect(run.stdout).toContain('public offer')
})

test.each([
  'GET',
  'POST',
])('a persisted query’s hash is refused as Apollo’s clients expect, by %s', async (method) => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'ab'.repeat(32) } }
  const answer =
    method === 'GET'
      ? await api.get(`/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`)
      : await api.post('/graphql', { extensions })
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text).errors).toEqual([
    {
      message: 'PersistedQueryNotSupported',
      extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
    },
  ])
  const whole = await api.post('/graphql', { query: '{ __typename }', extensions })
  expect(whole.body).toEqual({ data: { __typename: 'Query' } })
})
