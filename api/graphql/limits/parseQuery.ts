import { type DocumentNode, GraphQLError, Lexer, parse, Source, TokenKind } from 'graphql'
import { queryError } from '../errors/queryError.ts'
import { LIMITS } from './limits.ts'
import { measureDocument } from './measureDocument.ts'

/**
 * Parses a query and enforces the limits on its text and shape before anything costlier sees it: validation compares
 * fields pairwise. Throws a GraphQLError with the limit's code, or GRAPHQL_PARSE_FAILED.
 */
export function parseQuery(source: string | Source): DocumentNode {
  const text = typeof source === 'string' ? source : source.body
  if (text.length > LIMITS.characters || hasMoreTokens(text, LIMITS.tokens)) {
    throw refusal('TOO_MANY_TOKENS', `a query has at most ${LIMITS.tokens} tokens`)
  }
  const document = parsed(text)
  checkShape(document)
  return document
}

function parsed(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: LIMITS.tokens })
  } catch (error) {
    if (error instanceof GraphQLError) {
      error.extensions.code = 'GRAPHQL_PARSE_FAILED'
      error.extensions.http = { status: 400, spec: true }
    }
    throw error
  }
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

/**
 * Whether a query has more than `limit` tokens, without comments. Of invalid text only the tokens before the error
 * count; parsing reports the error.
 */
export function hasMoreTokens(query: string, limit: number): boolean {
  const lexer = new Lexer(new Source(query))
  try {
    for (let count = 0; count <= limit; count++) {
      if (lexer.advance().kind === TokenKind.EOF) return false
    }
    return true
  } catch {
    return false
  }
}
