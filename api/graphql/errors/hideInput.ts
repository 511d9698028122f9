import type { GraphQLError } from 'graphql'
import { REDACTED, redactName } from '../../http/redactName.ts'
import { SCALARS } from '../scalars/scalars.ts'

/** What our scalars say they expect, including examples. */
const EXPECTATIONS = Object.values(SCALARS).flatMap(({ extensions }) =>
  typeof extensions.expected === 'string' ? [`: expected ${extensions.expected}`] : [],
)

/** Quoted texts from the request, and names of types, fields, arguments, variables, punctuation. */
const QUOTED = /"(?:[^"\\]|\\.)*\\?(?:"|$)/gs

/** The names in `"$id"`, `"[AsOfBlock!]!"`, `"Query.intents"`, `"where.status.in[0]"`, `"@include"`. */
const NAMES = /^[$@]?\[*(\w+(?:[.[\]]+\w+)*)\]*[\]!]*$/

/** Characters of the longest such path, with room: what is longer isn't looked at. */
const LONGEST_PATH = 200

/** Longer than any name of the schema: a key as digits, say. */
const LONG = /\w{25,}/g

/**
 * An error message of graphql-js without what it repeats of the request, except short plain names: a key
 * pasted into a wrong place must not come back. A message may be as long as the request, so each character is
 * examined only a few times, in any order. What one of our scalars expects stays, at the end, where no input
 * can follow.
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

/** Without what graphql-js prints of input objects, and what is between them. */
function withoutObjects(message: string): string {
  const from = message.indexOf('{ ')
  const to = message.lastIndexOf(' }')
  return from < 0 || to < from ? message : message.slice(0, from) + REDACTED + message.slice(to + 2)
}

/** The error itself, without what its message, and the JSON parser's in its extensions, repeat of the request. */
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
  if (quoted.length > LONGEST_PATH) return false
  if (/^\W{0,3}$/.test(quoted)) return true
  const [, names] = NAMES.exec(quoted) ?? []
  return (
    names?.split(/\W+/).every((name) => /^\d{1,4}$/.test(name) || redactName(name) === name) ??
    false
  )
}
