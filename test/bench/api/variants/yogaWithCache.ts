import { createRequire } from 'node:module'
import type { GraphQLSchema } from 'graphql'
import { createYoga as createPlainYoga, type Plugin } from 'graphql-yoga'
import { useJit } from './yogaWithJit.ts'

export * from 'graphql-yoga'

const require = createRequire(new URL('../peers/graphql-jit/', import.meta.url))
const { useResponseCache } = require('@graphql-yoga/plugin-response-cache') as {
  useResponseCache(options: object): Plugin
}

/** Yoga with graphql-jit and answers cached for a second. */
export function createYoga(options: { schema: GraphQLSchema; plugins: Plugin[] }) {
  const cache = useResponseCache({ session: () => null, ttl: 1_000 })
  return createPlainYoga({
    ...options,
    plugins: [useJit(options.schema), ...options.plugins, cache],
  } as never)
}
