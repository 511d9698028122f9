import type { Logger } from 'pino'
import { ConfigurationError } from '../config/configurationError.ts'
import { OperatorError } from '../config/operatorError.ts'
import { EnclaveError } from '../enclave/enclaveError.ts'
import { createLog } from '../log/createLog.ts'
import { hideUrls } from '../log/hideUrls.ts'
import type { LogLevel } from '../log/logLevel.ts'
import { describeListenProblem } from '../process/findFreePort.ts'
import { END_ROLE, type RoleMessage } from '../process/roleMessages.ts'
import { whenOrphaned } from '../process/whenOrphaned.ts'
import { describeDatabaseProblem } from '../store/database/databaseProblem.ts'
import { MigrationError } from '../store/database/migrate.ts'

type RunningService = {
  /** Its URL; null if it doesn't listen. */
  url: string | null
  log: Logger
  /** Milliseconds for which it goes on serving when it stops. */
  drainMs?: number
  stop(): Promise<void>
}

/** Names of the variables that may be wrong when a start fails. */
type StartSettings = { port: string; database: string }

const USUAL_SETTINGS: StartSettings = { port: 'API_PORT', database: 'DATABASE_URL' }

/** Milliseconds that a role may take to stop, once it no longer serves. */
const TIMEOUT_MS = 10_000

/**
 * Runs one role as this process's only task, until SIGINT, SIGTERM or SIGHUP, or, as a child of the devnet or the launcher,
 * until the parent asks it to stop or is gone. Sets the exit code: 0 after an orderly end, 2 for a wrong
 * configuration, 1 for anything else.
 */
export async function runRole(
  start: () => Promise<RunningService>,
  settings: StartSettings = USUAL_SETTINGS,
): Promise<void> {
  let service: RunningService | null = null
  let isEnding = false
  const hadParent = process.connected
  const isOrphan = () => hadParent && !process.connected
  const leave = (code: number | string) => {
    // The parent read our output. Without it, the log would keep trying to write the rest.
    if (isOrphan()) process.kill(process.pid, 'SIGKILL')
    process.exit(code)
  }
  const end = async (why: string) => {
    if (isEnding) leave(1)
    isEnding = true
    const began = performance.now()
    setTimeout(() => leave(1), TIMEOUT_MS + (service?.drainMs ?? 0)).unref()
    if (service === null) process.stderr.write(`stopping before it had started: ${why}\n`)
    service?.log.info({ why }, 'stopping')
    await service?.stop().catch((error: unknown) => complain(error, settings))
    service?.log.info({ why, ms: Math.round(performance.now() - began) }, 'stopped')
    if (!isOrphan()) await allWritten(service?.log)
    leave(process.exitCode ?? 0)
  }
  listenForEnd(end)
  // One Ctrl-C may reach both us and our parent, so a second signal doesn't mean to end at once.
  whenOrphaned(() => void (isEnding || end('its parent process has ended')))
  try {
    service = await start()
    notifyParent({ type: 'ready', url: service.url })
  } catch (error) {
    complain(error, settings)
    process.exit(error instanceof ConfigurationError ? 2 : 1)
  }
}

/** Lines are written in the background. Exiting earlier could lose or reorder the last ones. */
function allWritten(log?: Logger): Promise<void> {
  return new Promise((resolve) => (log ? log.flush(() => resolve()) : resolve()))
}

/** Sends a message to the parent process, if there is one. */
export function notifyParent(message: RoleMessage): void {
  if (process.connected) process.send?.(message, () => {})
}

/** A role's log. Lines at this level or above also go to the parent. */
export function roleLog(
  role: string,
  level: LogLevel | undefined,
  from: 'warn' | 'error' = 'error',
): Logger {
  const to = (text: string) => notifyParent({ type: 'notice', text })
  return createLog(role, { ...(level && { level }), notify: { from, to } })
}

function listenForEnd(end: (why: string) => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => end(signal))
  if (!process.connected) return
  process.on('message', (message) => {
    if (message === END_ROLE) end('its parent process asked for it')
  })
}

/** A problem that an operator can fix takes one line. Anything else is logged with its stack. */
function complain(error: unknown, { port, database }: StartSettings): void {
  const url = process.env[database] ?? ''
  const known =
    describeListenProblem(error, port) ??
    describeDatabaseProblem(error, database, url) ??
    describeFileProblem(error) ??
    describeEnclaveProblem(error) ??
    (error instanceof MigrationError ? `${database}: ${error.message}` : null) ??
    (error instanceof OperatorError ? error.message : null)
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${known ?? hideUrls(words)}\n`)
}

/** Problems that an operator can mend. Others, such as a missing file, may be bugs. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path isn’t a folder',
}

/** Why a file can't be used, in one line; null for any other error. */
function describeFileProblem(error: unknown): string | null {
  const { code = '', path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  const words = WORDS[code]
  if (words === undefined || path === undefined) return null
  return `${path}: ${words} (${syscall}). Check the variable that names it, and the owner and mode of the file and of its folders`
}

/** Why a role can't start with its enclave, in one line; null for any other error. */
function describeEnclaveProblem(error: unknown): string | null {
  if (!(error instanceof EnclaveError)) return null
  switch (error.code) {
    case 'ENCLAVE_UNREACHABLE':
      return 'ENCLAVE_SOCKET: no enclave answers there. Start it, and let this user use the socket'
    // Another version refuses what it is asked, or its answer doesn't have the form that this one expects.
    case 'REQUEST_INVALID':
    case 'ENCLAVE_FAILED':
      return `ENCLAVE_SOCKET: the enclave and this role don't understand each other (${error.code}). Upgrade the enclave first; if it already has this version, read its log`
    default:
      return null
  }
}
