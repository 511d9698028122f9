import { ShareExhaustedError } from './fairShare.ts'

/** Temporary reasons for a failed read. */
export type StoreProblem =
  /** The views don't exist yet, or are of another build. */
  | 'not_ready'
  /** The statement timed out, or its client's earlier ones left it no time. */
  | 'timeout'
  /** No connection, or no free one. */
  | 'unreachable'

/** PostgreSQL's (and the socket's) codes for it. */
const PROBLEMS = new Map<string, StoreProblem>([
  ['42P01', 'not_ready'], // undefined table
  ['42703', 'not_ready'], // undefined column
  ['42883', 'not_ready'], // undefined function
  ['3F000', 'not_ready'], // undefined schema
  ['40P01', 'not_ready'], // deadlock: with a process that drops what a reader still reads
  ['57014', 'timeout'], // query cancelled
  ['53300', 'unreachable'], // too many connections
  ['3D000', 'unreachable'], // no such database
  ['28P01', 'unreachable'], // wrong password
  ['28000', 'unreachable'], // a user that may not connect
  ['42501', 'unreachable'], // a user without the right to read
  ['ECONNREFUSED', 'unreachable'],
  ['ECONNRESET', 'unreachable'],
  ['ETIMEDOUT', 'unreachable'],
  ['ENOTFOUND', 'unreachable'],
  ['EAI_AGAIN', 'unreachable'],
  ['EPIPE', 'unreachable'],
])

const UNREACHABLE_WORDS =
  /connection terminated|timeout exceeded when trying to connect|not queryable/i

/** The temporary problem behind a query's error; null when it is a bug. */
export function storeProblemOf(error: unknown): StoreProblem | null {
  if (!(error instanceof Error)) return null
  if (error instanceof ShareExhaustedError) return 'timeout'
  const code = (error as Error & { code?: unknown }).code
  if (typeof code === 'string') {
    const known = PROBLEMS.get(code)
    if (known) return known
    // 08: connection exceptions; 57P: the server is shutting down or starting.
    if (code.startsWith('08') || code.startsWith('57P')) return 'unreachable'
  }
  if (error instanceof AggregateError) return storeProblemOf(error.errors[0])
  return UNREACHABLE_WORDS.test(error.message) ? 'unreachable' : null
}
