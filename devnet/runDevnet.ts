import { setTimeout as pause } from 'node:timers/promises'
import { ConfigurationError } from '../services/config/configurationError.ts'
import { refuseTakenPort } from '../services/process/findFreePort.ts'
import { whenOrphaned } from '../services/process/whenOrphaned.ts'
import { DirectoryInUse } from './directoryLock.ts'
import { createOverviewReader } from './overviewReader.ts'
import { DEVNET_HELP, type DevnetCommand, readCommandLine } from './readCommandLine.ts'
import { restartOnChange } from './restartOnChange.ts'
import { type Devnet, startDevnet } from './startDevnet.ts'
import { createScreen, type Screen, welcomeText } from './terminalDisplay.ts'

/** Milliseconds between polls of the counts. */
const REDRAW_EVERY = 1_000

/**
 * `npm start`: runs a devnet until Ctrl-C. Exit codes: 0 after an orderly shutdown, 2 for invalid options, 3 when a devnet
 * already uses the directory, 1 when a part fails.
 */
export async function runDevnet(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const command = readOrComplain(args, env)
  if (command === null) return
  if (command.help) {
    process.stdout.write(DEVNET_HELP)
    return
  }
  // Check before starting anything what the API would otherwise report half a minute later.
  if (await refuseTakenPort('--api-port', command.apiHost, String(command.apiPort))) return
  const screen = createScreen(process.stdout)
  const interrupted = interruption()
  const starting = startDevnet({
    ...command,
    // On one machine, no other role delays a reader.
    yields: true,
    onEvent: ({ type, text }) => (type === 'stage' ? screen.stage(text) : screen.notice(text)),
  })
  let devnet: Devnet | null
  try {
    devnet = await Promise.race([starting, interrupted])
  } catch (error) {
    if (error instanceof DirectoryInUse) return leave(screen, `${error.message}.`, 3)
    return leave(screen, `The devnet could not start: ${messageOf(error)}`, 1)
  }
  // Interrupted while starting: child processes end with this one.
  if (devnet === null) return leave(screen, 'Stopped before the start was complete.', 0)
  await attend(devnet, command, screen, interrupted).catch((error) =>
    leave(screen, `The devnet failed: ${messageOf(error)}`, 1),
  )
}

function readOrComplain(args: string[], env: NodeJS.ProcessEnv): DevnetCommand | null {
  try {
    return readCommandLine(args, env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
    return null
  }
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, or when npm has exited; a second signal exits at once.
 */
function interruption(): Promise<null> {
  return new Promise((resolve) => {
    let asked = false
    whenOrphaned(() => resolve(null))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(130)
        asked = true
        resolve(null)
      })
    }
  })
}

async function attend(
  devnet: Devnet,
  { directory, watch }: DevnetCommand,
  screen: Screen,
  interrupted: Promise<null>,
): Promise<void> {
  screen.welcome(welcomeText(devnet.file, directory))
  const unwatch = watch ? restartOnChange(devnet.rolePids) : () => {}
  const showing = new AbortController()
  const shown = show(devnet, screen, showing.signal)
  const broken = await Promise.race([devnet.broken, interrupted])
  unwatch()
  showing.abort()
  await shown
  screen.notice('stopping everything')
  await devnet.stop()
  if (broken !== null) return leave(screen, `${broken}. See ${directory}/logs.`, 1)
  leave(screen, `Stopped. npm start continues from here, npm start -- --fresh starts over.`, 0)
}

async function show(devnet: Devnet, screen: Screen, signal: AbortSignal): Promise<void> {
  const reader = createOverviewReader(devnet.file.databaseUrl, devnet.chains)
  while (!signal.aborted) {
    // Nothing to show until the index is ready, or while it is rebuilt.
    await reader.read().then(
      (overview) => screen.overview(overview),
      () => {},
    )
    await pause(REDRAW_EVERY, undefined, { signal }).catch(() => {})
  }
  await reader.close()
}

function leave(screen: Screen, text: string, code: number): void {
  screen.close(text)
  process.exit(code)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
