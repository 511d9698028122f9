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

/** graphql-jit's compiled query; null where it refuses. Made once for each document and operation. */
export function createCompiler(schema: GraphQLSchema) {
  const compiled = new WeakMap<DocumentNode, Map<string | undefined, Compiled | null>>()
  return (document: DocumentNode, operationName: string | undefined): Compiled | null => {
    const ofDocument = compiled.get(document) ?? new Map<string | undefined, Compiled | null>()
    compiled.set(document, ofDocument)
    const known = ofDocument.get(operationName)
    if (known !== undefined) return known
    const made = jit.compileQuery(schema, document, operationName, {
      disablingCapturingStackErrors: true,
      customJSONSerializer: true,
    })
    const usable = 'query' in made ? made : null
    ofDocument.set(operationName, usable)
    return usable
  }
}
