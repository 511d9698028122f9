import { GraphQLError } from 'graphql'

/** A value that a scalar doesn't take. */
export function inputError(scalar: string, expected: string, value: unknown): GraphQLError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : typeof value
  return new GraphQLError(`${scalar}: expected ${expected}, got ${shown}`, {
    extensions: { code: 'BAD_USER_INPUT' },
  })
}
