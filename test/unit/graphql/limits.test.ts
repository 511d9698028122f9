import { readFileSync } from 'node:fs'
import { buildSchema, getIntrospectionQuery, parse } from 'graphql'
import { expect, test } from 'vitest'
import { countWorstCaseEntries } from '../../../api/graphql/limits/countWorstCaseEntries.ts'
import { measureDocument } from '../../../api/graphql/limits/measureDocument.ts'
import { parseQuery } from '../../../api/graphql/limits/parseQuery.ts'
import { nestedPage } from '../../../api/graphql/resolvers/intentNestedLists.ts'

const measured = (query: string) => measureDocument(parse(query), 10_000)

test('depth is counted in fields, through fragments', () => {
  expect(measured('{ a }').depth).toBe(1)
  expect(measured('{ a { b { c } } d }').depth).toBe(3)
  expect(measured('{ a { ... { ... on B { b } } } }').depth).toBe(2)
  expect(measured('fragment F on A { b { c } } { a { ...F } }').depth).toBe(3)
})

test('aliases and fields are counted as often as their fragments are spread', () => {
  const { aliases, fields } = measured(
    'fragment F on A { x: b y: c } { a { ...F } d { ...F } e: a }',
  )
  expect(aliases).toBe(5)
  // a, d, e, 2 × (x, y), 2 spreads
  expect(fields).toBe(9)
})

test('counting stops at the limit, however much fragments stand for', () => {
  const rings = Array.from(
    { length: 60 },
    (_, i) => `fragment F${i} on A { ...F${i + 1} ...F${i + 1} }`,
  )
  const query = `${rings.join(' ')} fragment F60 on A { a } { ...F0 }`
  expect(measureDocument(parse(query), 500).fields).toBe(501)
})

test('introspection is measured by itself, and only at the top', () => {
  const own = measured(getIntrospectionQuery())
  expect(own.depth).toBe(0)
  expect(own.introspectionDepth).toBeGreaterThan(8)
  expect(measured('{ __schema { types { name } } a { b } }').depth).toBe(2)
  expect(measured('{ a { __type { b { c } } } }').depth).toBe(4)
  expect(measured('{ __schema: a { b } }').depth).toBe(2)
  expect(() => parseQuery(getIntrospectionQuery())).not.toThrow()
})

test('at each limit a query passes, beyond it not', () => {
  const deep = (depth: number) => `${'{ a '.repeat(depth)}${'}'.repeat(depth)}`
  expect(() => parseQuery(deep(8))).not.toThrow()
  expect(() => parseQuery(deep(9))).toThrow(/8 fields deep/)
  const aliased = (count: number) =>
    `{ ${Array.from({ length: count }, (_, i) => `a${i}: a`).join(' ')} }`
  expect(() => parseQuery(aliased(30))).not.toThrow()
  expect(() => parseQuery(aliased(31))).toThrow(/30 aliases/)
  const long = (fields: number) => `{ ${'a '.repeat(fields)}}`
  expect(() => parseQuery(long(998))).not.toThrow()
  expect(() => parseQuery(`${long(998)} # and much more`)).not.toThrow()
  expect(() => parseQuery(long(999))).toThrow('a query has at most 1000 tokens')
})

const schema = buildSchema(
  readFileSync(new URL('../../../api/graphql/schema.graphql', import.meta.url), 'utf8'),
)
const entries = (query: string, variables = {}) =>
  countWorstCaseEntries({ schema, document: parse(query), variables })

test('a list counts its size, and what is in it as often', () => {
  expect(entries('{ intents { nodes { status } } }')).toBe(50)
  expect(entries('{ intents(first: 10) { edges { node { status } } } }')).toBe(10)
  expect(entries('{ intents(last: 7) { nodes { bids { nodes { id } } } } }')).toBe(7 * 21)
  expect(
    entries(
      '{ intents(first: 2) { nodes { bids(first: 3) { edges { node { solver { volumes { token } } } } } } } }',
    ),
  ).toBe(2 * (1 + 3 * (1 + 100)))
  expect(
    entries('{ intents(first: 5) { totalCount } intent(id: 1) { events { nodes { id } } } }'),
  ).toBe(25)
})

test('sizes come from variables and their defaults; one out of range counts as the largest', () => {
  const query = 'query ($n: Int = 9) { intents(first: $n) { nodes { id } } }'
  expect(entries(query)).toBe(9)
  expect(entries(query, { n: 30 })).toBe(30)
  expect(entries(query, { n: 5_000_000 })).toBe(1_000)
})

test('an explicit null counts as the page it gets', () => {
  const { size } = nestedPage({ first: null }, Number)
  expect(entries('{ intent(id: 1) { bids(first: null) { nodes { id } } } }')).toBe(size)
})

test('fragments count where they are spread, introspection not at all', () => {
  const query =
    'fragment F on Intent { bids(first: 4) { nodes { id } } } { intents(first: 2) { nodes { ...F } } }'
  expect(entries(query)).toBe(2 * 5)
  expect(entries(getIntrospectionQuery())).toBe(0)
})

test('every type and every entry point says what it is', () => {
  const silent = Object.values(schema.getTypeMap())
    .filter(
      ({ name }) => !/^__|(Connection|Edge|Order|OrderField|Filter|OrderDirection)$/.test(name),
    )
    .filter(
      (type) =>
        !['Query', 'Subscription', 'Boolean', 'Int', 'String', 'ID', 'Float'].includes(type.name),
    )
    .filter((type) => !type.description)
  expect(silent.map(({ name }) => name)).toEqual([])
  const entries = [schema.getQueryType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  )
  expect(entries.filter((field) => !field.description).map(({ name }) => name)).toEqual([])
})
