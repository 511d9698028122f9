import { ShareExhaustedError } from './fairShare.ts'

/** Why a read failed for a reason that passes by itself. */
export type StoreProblem =
  /** The views don't exist yet, or are of another build. */
  | 'not_ready'
  /** The statement was given up after its time, or its client's earlier ones left it none. */
  | 'timeout'
  /** No connection, or no free one. */
  | 'unreachable'

/** Codes of PostgreSQL (and of the socket under it) that say so. */
const PROBLEMS = new Map<string, StoreProblem>([
  ['42P01', 'not_ready'], // undefined table
  ['42703', 'not_ready'], // undefined column
  ['42883', 'not_ready'], // undefined function
  ['3F000', 'not_ready'], // undefined schema
  ['40P01', 'not_ready'], // deadlock: with whoever drops what a reader still reads
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

/** The passing problem behind an error of a query; null when it is a fault of ours. */
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
