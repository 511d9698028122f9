import { Lexer, Source, TokenKind } from 'graphql'

/**
 * Whether a query has more than `limit` tokens, comments not counted. Stops counting at the limit.
 * Invalid text has as many as came before the fault: parsing will report the error.
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
