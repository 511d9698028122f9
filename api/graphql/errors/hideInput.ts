import type { GraphQLError } from 'graphql'
import { REDACTED, redactFieldName } from '../../http/redactFieldName.ts'
import { SCALARS } from '../scalars/scalars.ts'

/** The ends of our scalars' messages: what they expect, with quoted examples. */
const EXPECTATIONS = Object.values(SCALARS).flatMap(({ extensions }) =>
  typeof extensions.expected === 'string' ? [`: expected ${extensions.expected}`] : [],
)

/** Anything quoted: values from the request, and names of types, fields, arguments and variables. */
const QUOTED = /"(?:[^"\\]|\\.)*\\?(?:"|$)/gs

/** The names in `"$id"`, `"[AsOfBlock!]!"`, `"Query.intents"`, `"where.status.in[0]"`, `"@include"`. */
const NAMES = /^[$@]?\[*(\w+(?:[.[\]]+\w+)*)\]*[\]!]*$/

/** Longer than any path in a message. Longer quotes are hidden unexamined. */
const MAX_PATH_LENGTH = 200

/** Longer than any name in the schema, such as a key in digits. */
const LONG = /\w{25,}/g

/**
 * Removes from graphql-js's error message what it repeats of the request, except short plain names: a key pasted
 * into the wrong place must not be returned or logged. A message may be as long as the request, so the work is
 * linear in its length. The end of a scalar's own message stays, because no input can follow it.
 */
export function hideInput(message: string): string {
  const own = EXPECTATIONS.find((expectation) => message.endsWith(expectation)) ?? ''
  return hideQuoted(message.slice(0, message.length - own.length)) + own
}

function hideQuoted(message: string): string {
  return withoutObjects(message)
    .replaceAll(QUOTED, (text) => (isHarmless(text.slice(1, -1)) ? text : REDACTED))
    .replaceAll(LONG, REDACTED)
}

/** Removes the input objects that graphql-js prints, and everything between them. */
function withoutObjects(message: string): string {
  const from = message.indexOf('{ ')
  const to = message.lastIndexOf(' }')
  return from < 0 || to < from ? message : message.slice(0, from) + REDACTED + message.slice(to + 2)
}

/** Hides input in an error's message, and in the JSON parser's message in its extensions. Changes the error itself. */
export function withoutInput(error: GraphQLError): GraphQLError {
  const { originalError, ...extensions } = error.extensions
  const { name, message } = (originalError ?? {}) as Partial<Error>
  const kept = message === undefined ? {} : { originalError: { name, message: hideInput(message) } }
  return Object.assign(error, {
    message: hideInput(error.message),
    extensions: { ...extensions, ...kept },
  })
}

function isHarmless(quoted: string): boolean {
  if (quoted.length > MAX_PATH_LENGTH) return false
  if (/^\W{0,3}$/.test(quoted)) return true
  const [, names] = NAMES.exec(quoted) ?? []
  return (
    names?.split(/\W+/).every((name) => /^\d{1,4}$/.test(name) || redactFieldName(name) === name) ??
    false
  )
}
