import type { GraphQLSchema } from 'graphql'
import { createYoga as createPlainYoga, type Plugin } from 'graphql-yoga'
import { createCompiler } from './compileQuery.ts'

export * from 'graphql-yoga'

/** Yoga with graphql-jit as its executor. */
export function createYoga(options: { schema: GraphQLSchema; plugins: Plugin[] }) {
  const plugins = [useJit(options.schema), ...options.plugins]
  return createPlainYoga({ ...options, plugins } as never)
}

/** The first plug-in, so that the others' limits wrap it. */
export function useJit(schema: GraphQLSchema): Plugin {
  const compile = createCompiler(schema)
  return {
    onExecute: ({ args, setExecuteFn }) => {
      const compiled = compile(args.document, args.operationName ?? undefined)
      setExecuteFn(async ({ rootValue, contextValue, variableValues }) => ({
        ...(await compiled.query(rootValue, contextValue, variableValues)),
        stringify: compiled.stringify,
      }))
    },
  }
}
