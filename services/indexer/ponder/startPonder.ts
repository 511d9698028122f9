import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { findFreePort } from '../../process/findFreePort.ts'
import { inheritCompileCache } from '../../process/modules/inheritCompileCache.ts'
import { HELD, type Release } from './awaitPonderStartSignal.ts'

const PROGRAM = fileURLToPath(new URL('./ponderProgram.ts', import.meta.url))

/** Megabytes for new objects instead of Node's 16: loading creates many that stay. */
const NEW_SPACE_MB = 32

/** Milliseconds in which Ponder may end by itself: its own limit is 5 s. */
const TIMEOUT_MS = 8_000

/** A line of Ponder's log, written by pino. */
export type PonderLine = {
  /** 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal. */
  level: number
  msg: string
  error?: { name?: string; message?: string; stack?: string } | string
  [field: string]: unknown
}

export type PonderChild = {
  pid: number
  /** Resolves with a short reason when the process has ended. Never rejects. */
  ended: Promise<string>
  /** URL of its metrics, once it has logged it. */
  metricsUrl(): string | null
  /** Lets it start indexing. Safe to call after its end. */
  release(release: Release): void
  /** Stops it, by force after 8 s; resolves when it has ended. */
  stop(): Promise<void>
}

type StartPonderOptions = {
  chain: ChainConfig
  databaseUrl: string
  schema: string
  /** The project's directory, with `ponder.config.ts`. */
  root: string
  onLine: (line: PonderLine) => void
}

/**
 * Starts one chain's Ponder process. It loads, then waits for its release before it reads the chain or the database. It
 * always ends with this process.
 */
export async function startPonder(options: StartPonderOptions): Promise<PonderChild> {
  const port = await findFreePort()
  const flags = ['--no-warnings', `--max-semi-space-size=${NEW_SPACE_MB}`]
  const child = spawn(process.execPath, [...flags, PROGRAM, options.root], {
    env: environmentOf(options, port),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // In its own process group, so that the terminal's Ctrl-C reaches only the supervisor, which shuts down in order.
    detached: true,
  })
  let serving: number | null = null
  let complaint = ''
  readLines(child, (line) => {
    if (isError(line)) complaint = messageOf(line)
    if (typeof line.port === 'number') serving = line.port
    options.onLine(line)
  })
  const ended = endOf(child, () => complaint)
  return {
    pid: child.pid ?? 0,
    ended,
    metricsUrl: () => (serving === null ? null : `http://127.0.0.1:${serving}/metrics`),
    release: (release) => void (child.connected && child.send(release, () => {})),
    stop: () => stop(child, ended),
  }
}

/**
 * Only what it needs, with Node's options (such as a heap limit) and PostgreSQL's variables (such as `PGPASSFILE`): the
 * environment may contain other secrets.
 */
function environmentOf(options: StartPonderOptions, port: number): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_OPTIONS, NODE_EXTRA_CA_CERTS } = process.env
  const ofPostgres = Object.entries(process.env).filter(([name]) => name.startsWith('PG'))
  return {
    PATH,
    HOME,
    TMPDIR,
    NODE_OPTIONS,
    NODE_EXTRA_CA_CERTS,
    ...Object.fromEntries(ofPostgres),
    ...inheritCompileCache(),
    NODE_ENV: 'production',
    PONDER_TELEMETRY_DISABLED: 'true',
    CAIRN_CHAIN: JSON.stringify(options.chain),
    DATABASE_URL: options.databaseUrl,
    DATABASE_SCHEMA: options.schema,
    // Skips Ponder's comparison of the schema's build id with its own, which includes the start block. The schema's
    // name already identifies our build.
    PONDER_EXPERIMENTAL_DB: 'platform',
    [HELD]: '1',
    // Ponder takes the next free port if this one is gone by then.
    PORT: String(port),
  }
}

function readLines(child: ChildProcess, onLine: (line: PonderLine) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (text) => onLine(parseLine(text)))
  }
}

function parseLine(text: string): PonderLine {
  try {
    const line = JSON.parse(text)
    if (typeof line?.msg === 'string') return line
  } catch {
    // Not a log line, but printed by Node itself.
  }
  return { level: 20, msg: text }
}

export function isError({ level }: PonderLine): boolean {
  return level >= 50
}

/** A log line's message, with a short cause. */
export function messageOf(line: PonderLine): string {
  const cause = typeof line.error === 'string' ? line.error : line.error?.message
  return cause ? `${line.msg}: ${cause.split('\n')[0]}` : line.msg
}

function endOf(child: ChildProcess, complaint: () => string): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not start: ${error.message}`))
    child.once('close', (code, signal) => {
      const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
      resolve(complaint() ? `${how} (${complaint()})` : how)
    })
  })
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  await ended
  clearTimeout(force)
}
