import { ShareExhaustedError } from './fairShares.ts'
import { SessionSettingsError } from './sessionSettings.ts'

/** Temporary reasons for a failed read. */
export type DatabaseProblem =
  /** The views don't exist yet, or belong to another build. */
  | 'not_ready'
  /** The statement timed out, conflicted with others, or waited too long for a free connection or its client's share. */
  | 'timeout'
  /** No connection, or one without our settings; or the server lacks connections, disk or memory, or accepts no writes. */
  | 'unreachable'

/** By PostgreSQL's or the socket's error code. */
const PROBLEMS = new Map<string, DatabaseProblem>([
  ['42P01', 'not_ready'], // undefined table
  ['42703', 'not_ready'], // undefined column
  ['42883', 'not_ready'], // undefined function
  ['3F000', 'not_ready'], // undefined schema
  ['40P01', 'not_ready'], // deadlock with a process that drops what a reader uses
  ['57014', 'timeout'], // query cancelled
  ['25P04', 'timeout'], // transaction_timeout, which ends the connection too
  ['55P03', 'timeout'], // lock timeout
  ['40001', 'timeout'], // serialization failure
  ['25006', 'unreachable'], // read-only: a replica, or a full disk
  ['25P03', 'unreachable'], // idle in a transaction for too long
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

/** OpenSSL's and Node's codes for a certificate that isn't accepted. */
const CERTIFICATE_CODES =
  /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_.*|.*_CERT(_IN_CHAIN|_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/

/** The last two come from requests that are under way while a role stops. */
const UNREACHABLE_MESSAGES =
  /connection terminated|not queryable|driver has already been destroyed|after calling end on the pool/i

/** pg's whole messages when a server doesn't answer in time: a node's may contain these words, too. */
const CONNECT_TIMEOUT = /^(timeout expired|Connection terminated due to connection timeout)$/

/** The pool's message when all its connections stay in use. */
const NONE_FREE = 'timeout exceeded when trying to connect'

/** The temporary problem behind a query's error; null if it is a bug. */
export function findDatabaseProblem(error: unknown): DatabaseProblem | null {
  if (!(error instanceof Error)) return null
  if (error instanceof ShareExhaustedError || error.message === NONE_FREE) return 'timeout'
  if (error instanceof SessionSettingsError) return 'unreachable'
  const code = (error as Error & { code?: unknown }).code
  if (typeof code === 'string') {
    const known = PROBLEMS.get(code)
    if (known) return known
    // 08: connection exceptions; 53: no disk, memory or connection left; 57P: shutting down or starting; 58: I/O errors.
    if (/^(08|53|57P|58)/.test(code) || CERTIFICATE_CODES.test(code)) return 'unreachable'
  }
  if (error instanceof AggregateError) return findDatabaseProblem(error.errors[0])
  return UNREACHABLE_MESSAGES.test(error.message) ? 'unreachable' : null
}

/**
 * Why PostgreSQL can't be used, in one line that starts with the name of the setting; null for other errors. Never contains
 * the password.
 *
 * @param setting the variable that holds the URL, such as `DATABASE_URL`
 */
export function describeDatabaseProblem(
  error: unknown,
  setting: string,
  databaseUrl: string,
): string | null {
  const problem = problemOf(firstOf(error), locationOf(databaseUrl))
  return problem === null ? null : `${setting}: ${problem}`
}

/** How poolers refuse the start-up parameter `options`: PgBouncer, and Amazon's RDS Proxy. */
const SETTINGS_REFUSED = /^unsupported .*startup param|command-line options/

/** A database's location, without the password. */
type Location = { server: string; database: string; user: string }

function locationOf(databaseUrl: string): Location {
  const url = URL.parse(databaseUrl)
  const server = url?.host ? `${url.hostname}:${url.port || 5432}` : 'the local server'
  return {
    server,
    database: decoded(url?.pathname.slice(1) ?? ''),
    user: decoded(url?.username ?? ''),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A host with several addresses fails with one error for each. */
function firstOf(error: unknown): Error & { code?: unknown; syscall?: unknown } {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0]
  return error instanceof Error ? error : new Error(String(error))
}

function problemOf(
  error: Error & { code?: unknown; syscall?: unknown },
  { server, database, user }: Location,
): string | null {
  if (error instanceof ShareExhaustedError) return null
  switch (error.code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${server}. Is PostgreSQL running there?`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host of ${server} can't be found`
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `${server} can't be reached`
    case 'ECONNRESET':
    case 'EPIPE':
      return `the connection to ${server} broke (${error.message})`
    case '3D000':
      return `there is no database "${database}" at ${server}. Create it, or name another`
    case '28P01':
    case '28000':
      return `PostgreSQL at ${server} refuses user "${user}" (${error.message}). Check the user, the password and pg_hba.conf`
    case '42501':
      return describeMissingRight(error.message, { server, database, user })
    case '53300':
      return `PostgreSQL at ${server} has no free connection`
    case '53100':
      return `PostgreSQL at ${server} has no disk space left (${error.message})`
    case '25006':
      return `PostgreSQL at ${server} accepts no writes (${error.message}). Name the primary, and allow writes there`
    case '25P04':
      return `PostgreSQL at ${server} ended a transaction early: alter role "${user}" in database "${database}" set transaction_timeout = 0`
    case '57P03':
      return `PostgreSQL at ${server} is starting or stopping`
  }
  if (CERTIFICATE_CODES.test(String(error.code)))
    return `the certificate of ${server} isn't accepted (${error.message}). In the URL, name the host as the certificate does, and the file of its CA: ?sslmode=verify-full&sslrootcert=…`
  if (error instanceof SessionSettingsError || SETTINGS_REFUSED.test(error.message))
    return `${server} doesn't take the sessions' settings. Name PostgreSQL itself and no pooler, and move \`options\` from the URL to PGOPTIONS`
  if (/^SASL|password must be/.test(error.message))
    return `PostgreSQL at ${server} needs a password, but the URL has none for user "${user}"`
  if (error.message === NONE_FREE)
    return `all connections to ${server} are in use: it is slow, or doesn't answer`
  if (CONNECT_TIMEOUT.test(error.message)) return `${server} doesn't answer`
  return /^(The server does not support SSL|Connection terminated)/.test(error.message)
    ? `${server}: ${error.message}`
    : null
}

/** Rights in the schema or its tables are their owner's, whoever may create schemas. */
function describeMissingRight(message: string, { server, database, user }: Location): string {
  const where = `database "${database}" at ${server} (${message})`
  const grant = `grant create on database "${database}" to "${user}"`
  const give = `give it all to "${user}": reassign owned by … to "${user}"`
  if (/for database/.test(message))
    return `user "${user}" lacks a right in ${where}. Indexer and reactions must be allowed to create schemas: ${grant}`
  if (/permission denied|must be owner/.test(message))
    return `user "${user}" isn't the owner of what is in ${where}. Name the user that created it, or ${give}`
  // A server that speaks another language doesn't say which of both in words that are known.
  return `user "${user}" lacks a right in ${where}. If it is one of the database, ${grant}; if it is one of what is in it, name the user that created that, or ${give}`
}
