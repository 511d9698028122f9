import { type DocumentNode, type GraphQLSchema, type ValidationRule, validate } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import { withoutInput } from '../errors/hideInput.ts'
import { parseQuery } from './parseQuery.ts'

/** Bytes that cached queries may take in memory. */
const ROOM = 16 * 2 ** 20

/** What a parsed query takes for each character of its text, at most: names of one letter between blanks. */
const QUERY_BYTES = 200

/** About a query, at most. */
const COMPLAINTS = 10

/**
 * Parses queries within the limits, and valid ones only once. Refusals are not cached: their errors take up
 * to a megabyte a query, and one client can send a thousand different ones.
 *
 * @param onError called with the code of each error
 */
export function useQueryCache(onError: (code: string) => void = () => {}): Plugin {
  const known = createLruCache<string, DocumentNode>(ROOM)
  const valid = new WeakSet<DocumentNode>()
  return {
    onParse: ({ params: { source }, setParsedDocument, setParseFn }) => {
      const document = known.get(typeof source === 'string' ? source : source.body)
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
        known.set(text, document, text.length * QUERY_BYTES)
      }
    },
  }
}

/** Each error about a name searches for all similar names, which takes longer than everything else. */
function validateBriefly(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules?: readonly ValidationRule[],
): ReturnType<typeof validate> {
  return validate(schema, document, rules, { maxErrors: COMPLAINTS }).map(withoutInput)
}
