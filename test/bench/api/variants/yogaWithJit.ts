import type { GraphQLSchema } from 'graphql'
import { createYoga as createPlainYoga, type Plugin } from 'graphql-yoga'
import { createCompiler } from './compileQuery.ts'

export * from 'graphql-yoga'

/** yoga, which executes queries by graphql-jit. */
export function createYoga(options: { schema: GraphQLSchema; plugins: Plugin[] }) {
  const plugins = [useJit(options.schema), ...options.plugins]
  return createPlainYoga({ ...options, plugins } as never)
}

/** First of all plug-ins, so that the others' limits apply around it. */
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
