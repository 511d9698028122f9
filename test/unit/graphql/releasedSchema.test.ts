import { readFileSync, writeFileSync } from 'node:fs'
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLSchema,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { expect, test } from 'vitest'
import { createSchema } from '../../../api/graphql/createSchema.ts'

/**
 * The schema of the last release, without its descriptions. At a release it is written anew:
 * `RELEASE_SCHEMA=1 npx vitest run test/unit/graphql/releasedSchema.test.ts`.
 */
const RELEASED = new URL('./released.graphql', import.meta.url)

function withoutDescriptions(schema: GraphQLSchema): string {
  const bare = buildSchema(printSchema(lexicographicSortSchema(schema)), { noLocation: true })
  return printSchema(bare).replaceAll(/^ *"""[\s\S]*?"""\n/gm, '')
}

if (process.env.RELEASE_SCHEMA) writeFileSync(RELEASED, withoutDescriptions(createSchema()))

const released = buildSchema(readFileSync(RELEASED, 'utf8'))

test('nothing that the last release had is gone or means something else', () => {
  expect(
    findBreakingChanges(released, buildSchema(withoutDescriptions(createSchema()))).map(
      ({ description }) => description,
    ),
  ).toEqual([])
})

test('a removed field and a newly required argument are found', () => {
  const text = withoutDescriptions(createSchema())
  const changed = text
    .replace('  bidCount: Int!\n', '')
    .replace(
      'senderCount(where: PairDayFilter!)',
      'senderCount(by: Period!, where: PairDayFilter!)',
    )
  const reported = findBreakingChanges(released, buildSchema(changed)).map(({ type }) => type)
  expect(reported.sort()).toEqual(['FIELD_REMOVED', 'REQUIRED_ARG_ADDED'])
})
