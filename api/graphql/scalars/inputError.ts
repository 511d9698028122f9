import { GraphQLError } from 'graphql'

/** A value that a scalar rejects. It isn't repeated: it could be a secret, sent by mistake. */
export function inputError(scalar: string, expected: string): GraphQLError {
  return new GraphQLError(`${scalar}: expected ${expected}`, {
    extensions: { code: 'BAD_USER_INPUT' },
  })
}
