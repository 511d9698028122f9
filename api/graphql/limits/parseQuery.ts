import { type DocumentNode, GraphQLError, parse, type Source } from 'graphql'
import { queryError } from '../errors/queryError.ts'
import { LIMITS } from './limits.ts'
import { measureDocument } from './measureDocument.ts'

/**
 * Parses a query and enforces the limits on its text and shape before anything costlier sees it: validation compares
 * fields pairwise. Throws a GraphQLError with the limit's code, or GRAPHQL_PARSE_FAILED.
 */
export function parseQuery(source: string | Source): DocumentNode {
  const text = typeof source === 'string' ? source : source.body
  if (text.length > LIMITS.characters) throw tooManyTokens()
  const document = parsed(text)
  checkShape(document)
  return document
}

function parsed(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: LIMITS.tokens })
  } catch (error) {
    if (error instanceof GraphQLError) {
      if (TOO_MANY.test(error.message)) throw tooManyTokens()
      error.extensions.code = 'GRAPHQL_PARSE_FAILED'
      error.extensions.http = { status: 400, spec: true }
    }
    throw error
  }
}

/** graphql-js's message about `maxTokens`. */
const TOO_MANY = /tokens\. Parsing aborted\.$/

function tooManyTokens(): GraphQLError {
  return refusal('TOO_MANY_TOKENS', `a query has at most ${LIMITS.tokens} tokens`)
}

function checkShape(document: DocumentNode): void {
  const measure = measureDocument(document, LIMITS.fields)
  const { depth, introspectionDepth, aliases, introspectionAliases, fields } = measure
  if (fields > LIMITS.fields) {
    throw refusal(
      'TOO_MANY_FIELDS',
      `a query has at most ${LIMITS.fields} fields, after expanding fragments`,
    )
  }
  if (depth > LIMITS.depth || introspectionDepth > LIMITS.introspectionDepth) {
    throw refusal('QUERY_TOO_DEEP', `a query is at most ${LIMITS.depth} fields deep, not ${depth}`)
  }
  if (aliases > LIMITS.aliases) {
    throw refusal(
      'TOO_MANY_ALIASES',
      `a query has at most ${LIMITS.aliases} aliases, not ${aliases}`,
    )
  }
  if (introspectionAliases > 0) {
    throw refusal('TOO_MANY_ALIASES', 'introspection takes no aliases')
  }
}

function refusal(code: Parameters<typeof queryError>[0], message: string): GraphQLError {
  return queryError(code, message, { status: 400 })
}
