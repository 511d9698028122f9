import { GraphQLError, GraphQLScalarType } from 'graphql'

/** A length of time; a JSON number of whole seconds. Answered only, never asked for. */
export const secondsScalar = new GraphQLScalarType<number, number>({
  name: 'Seconds',
  serialize: (value) => {
    if (Number.isSafeInteger(value)) return value as number
    throw new GraphQLError('Seconds: expected a whole number')
  },
})
