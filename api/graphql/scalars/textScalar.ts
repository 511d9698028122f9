import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'

type TextScalarOptions<Internal> = {
  name: string
  /** The accepted input, for the error message: "a 20-byte hex string". */
  expected: string
  serialize: (value: Internal) => unknown
  /** Parses text, or an integer's text; null if it is invalid. */
  parse: (text: string) => Internal | null
  /** Whether integers are accepted too. */
  integers?: boolean
}

/** A scalar that is written as a string, and perhaps as an integer. */
export function createTextScalar<Internal>(
  options: TextScalarOptions<Internal>,
): GraphQLScalarType {
  const { name, expected, serialize, integers = false } = options
  // Without the value, which could be a secret sent by mistake.
  const refusal = (nodes?: ValueNode) =>
    new GraphQLError(`${name}: expected ${expected}`, {
      ...(nodes && { nodes }),
      extensions: { code: 'BAD_USER_INPUT' },
    })
  /** @param node where the query has the text, to name the line and column of a mistake */
  const parse = (text: string, node?: ValueNode): Internal => {
    const value = options.parse(text)
    if (value === null) throw refusal(node)
    return value
  }
  return new GraphQLScalarType<Internal, unknown>({
    name,
    extensions: { expected },
    serialize: (value) => serialize(value as Internal),
    parseValue: (value) => {
      if (typeof value === 'string') return parse(value)
      if (integers && Number.isSafeInteger(value)) return parse(String(value))
      throw refusal()
    },
    parseLiteral: (node: ValueNode) => {
      if (node.kind === Kind.STRING || (integers && node.kind === Kind.INT)) {
        return parse(node.value, node)
      }
      throw refusal(node)
    },
  })
}
