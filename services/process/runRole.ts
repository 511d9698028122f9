import { ConfigurationError } from '../config/configurationError.ts'
import { hideUrls } from '../log/hideUrls.ts'
import { END_ROLE, type RoleMessage } from './roleMessages.ts'

/** A role at work. */
export type RunningService = {
  /** Where it can be reached; null if it doesn't listen. */
  url: string | null
  stop(): Promise<void>
}

/** How long a role may take to stop, in milliseconds. */
const PATIENCE = 10_000

/**
 * Runs one role as this process's whole purpose: until SIGINT or SIGTERM, or, as a child of the
 * devnet, until the parent says so or is gone. Sets the exit code: 0 after an orderly end, 2 for a
 * configuration that is wrong, 1 for everything else.
 */
export async function runRole(start: () => Promise<RunningService>): Promise<void> {
  let service: RunningService | null = null
  let isEnding = false
  const hadParent = process.connected
  const leave = (code: number | string) => {
    // With the parent the reader of our output is gone, and the log would try for ever to write its rest.
    if (hadParent && !process.connected) process.kill(process.pid, 'SIGKILL')
    process.exit(code)
  }
  const end = async () => {
    if (isEnding) leave(1)
    isEnding = true
    setTimeout(() => leave(1), PATIENCE).unref()
    await service?.stop().catch((error: unknown) => complain(error))
    leave(process.exitCode ?? 0)
  }
  listenForEnd(end)
  try {
    service = await start()
    tellParent({ type: 'ready', url: service.url })
  } catch (error) {
    complain(error)
    process.exit(error instanceof ConfigurationError ? 2 : 1)
  }
}

/** Tells the parent, if there is one. */
export function tellParent(message: RoleMessage): void {
  if (process.connected) process.send?.(message, () => {})
}

function listenForEnd(end: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
  if (!process.connected) return
  process.on('disconnect', end)
  process.on('message', (message) => {
    if (message === END_ROLE) end()
  })
}

function complain(error: unknown): void {
  if (error instanceof ConfigurationError) process.stderr.write(`${error.message}\n`)
  else {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stderr.write(`${hideUrls(words)}\n`)
  }
}
