import { createRequire } from 'node:module'
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql'

type Compiled = {
  query(
    root: unknown,
    context: unknown,
    variables: unknown,
  ): ExecutionResult | Promise<ExecutionResult>
  stringify(result: ExecutionResult): string
}

const require = createRequire(new URL('../peers/graphql-jit/', import.meta.url))
const jit = require('graphql-jit') as {
  compileQuery(
    schema: GraphQLSchema,
    document: DocumentNode,
    operationName: string | undefined,
    options: object,
  ): Compiled | ExecutionResult
}

/**
 * graphql-jit's compiled query, created once per document and operation. Without its JSON serializer, which doesn't know
 * custom scalars. Throws where it refuses: falling back to graphql-js would measure the wrong thing.
 */
export function createCompiler(schema: GraphQLSchema) {
  const compiled = new WeakMap<DocumentNode, Map<string | undefined, Compiled>>()
  return (document: DocumentNode, operationName: string | undefined): Compiled => {
    const ofDocument = compiled.get(document) ?? new Map<string | undefined, Compiled>()
    compiled.set(document, ofDocument)
    const known = ofDocument.get(operationName)
    if (known !== undefined) return known
    const made = jit.compileQuery(schema, document, operationName, {
      disablingCapturingStackErrors: true,
    })
    if (!('query' in made)) throw new Error(`graphql-jit refuses it: ${made.errors}`)
    ofDocument.set(operationName, made)
    return made
  }
}
