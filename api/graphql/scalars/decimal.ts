import { GraphQLScalarType } from 'graphql'

/** Answered only: what amounts are compared with is in base units. */
export const decimalScalar = new GraphQLScalarType({ name: 'Decimal', serialize: String })
