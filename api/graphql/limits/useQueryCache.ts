import { type DocumentNode, type GraphQLSchema, type ValidationRule, validate } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import { withoutInput } from '../errors/hideInput.ts'
import { parseQuery } from './parseQuery.ts'

const CACHE_BYTES = 16 * 2 ** 20

/** Memory of a parsed query per character, at most: that of one-letter names between blanks. */
const BYTES_PER_CHARACTER = 200

/** Validation errors reported for a query. */
const MAX_ERRORS = 10

/**
 * Parses and validates queries, valid ones only once. Invalid ones aren't cached: the errors of one take up to a
 * megabyte, and a client can send thousands.
 *
 * @param onError called with the code of each validation error
 */
export function useQueryCache(onError: (code: string) => void = () => {}): Plugin {
  const documents = createLruCache<string, DocumentNode>(CACHE_BYTES)
  const valid = new WeakSet<DocumentNode>()
  return {
    onParse: ({ params: { source }, setParsedDocument, setParseFn }) => {
      const document = documents.get(typeof source === 'string' ? source : source.body)
      if (document) setParsedDocument(document)
      else setParseFn(parseQuery as never)
    },
    onValidate: ({ params, setResult, setValidationFn }) => {
      setValidationFn(validateBriefly as never)
      const document: DocumentNode = params.documentAST
      if (valid.has(document)) {
        setResult([])
        return
      }
      return ({ valid: isValid, result }) => {
        for (const _ of result) onError('GRAPHQL_VALIDATION_FAILED')
        const text = document.loc?.source.body
        if (!isValid || text === undefined) return
        valid.add(document)
        documents.set(text, document, text.length * BYTES_PER_CHARACTER)
      }
    },
  }
}

/** Limits the errors, because each error about a name searches all similar names, which dominates the cost. */
function validateBriefly(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules?: readonly ValidationRule[],
): ReturnType<typeof validate> {
  return validate(schema, document, rules, { maxErrors: MAX_ERRORS }).map(withoutInput)
}
