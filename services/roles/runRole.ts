import type { Logger } from 'pino'
import { ConfigurationError } from '../config/configurationError.ts'
import { describeFileProblem } from '../config/describeFileProblem.ts'
import { OperatorError } from '../config/operatorError.ts'
import { createLog } from '../log/createLog.ts'
import { hideUrls } from '../log/hideUrls.ts'
import type { LogLevel } from '../log/logLevel.ts'
import { describeListenProblem } from '../process/findFreePort.ts'
import { END_ROLE, type RoleMessage } from '../process/roleMessages.ts'
import { whenOrphaned } from '../process/whenOrphaned.ts'
import { describeDatabaseProblem } from '../store/database/databaseProblem.ts'
import { MigrationError } from '../store/database/migrate.ts'
import { describeEnclaveProblem } from './describeEnclaveProblem.ts'

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
  const to = (text: string) => notifyParent({ type: 'notice', text: `${role}: ${text}` })
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
