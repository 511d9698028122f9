import { readFileSync } from 'node:fs'
import { createSchema as buildSchema, type YogaInitialContext } from 'graphql-yoga'
import type { GraphqlContext } from './graphqlContext.ts'
import { resolvers } from './resolvers/resolvers.ts'

const SCHEMA_TEXT = readFileSync(new URL('./schema.graphql', import.meta.url), 'utf8')

/** `schema.graphql` with its resolvers. Throws for a resolver without a field. */
export function createSchema() {
  return buildSchema<GraphqlContext & YogaInitialContext>({
    typeDefs: SCHEMA_TEXT,
    resolvers: resolvers as never,
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  })
}
