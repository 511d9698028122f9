import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { HELD_ROLE } from './awaitRoleEnvironment.ts'
import { inheritCompileCache } from './modules/inheritCompileCache.ts'
import { END_ROLE, type HeldRoleMessage, type RoleMessage } from './roleMessages.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Milliseconds until a role that was asked to end is killed, once it no longer serves. */
const TIMEOUT_MS = 12_000

export type SpawnRoleOptions = {
  role: string
  /** Its name in messages, if there are several of one role; default: the role. */
  name?: string
  env: NodeJS.ProcessEnv
  /** Variables that aren't known yet. The role loads meanwhile, and starts when it has them. */
  laterEnv?: Promise<NodeJS.ProcessEnv>
  /** File to which its output is appended; default: our own output. */
  logFile?: string
  /** Heap limit in megabytes; default: Node's. */
  heapMegabytes?: number
  /** Once it has started, other processes get the processor before it. */
  yields?: boolean
  onNotice?: (text: string) => void
}

/** A role in a child process. It ends with this process, even after `kill -9`. */
export type ChildRole = {
  pid: number
  /** Its address. @throws with its last output if it ended before it was ready */
  ready: Promise<string | null>
  /** Resolves with how it ended. Never rejects. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** Starts a role with main.ts, as in production. */
export function spawnRole(options: SpawnRoleOptions): ChildRole {
  const { env, laterEnv, logFile, heapMegabytes } = options
  const heap = heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]
  const output = logFile === undefined ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, ['--no-warnings', ...heap, MAIN, options.role], {
    env: { ...inheritCompileCache(env), ...env, ...(laterEnv && { [HELD_ROLE]: '1' }) },
    stdio: ['ignore', output, output, 'ipc'],
    // A separate group: the terminal's Ctrl-C reaches only the devnet, which shuts down in order.
    detached: true,
  })
  laterEnv?.then(
    (variables) => send(child, { type: 'environment', variables }),
    // The caller, whose promise failed, stops the role.
    () => {},
  )
  const file = logFile === undefined ? null : createWriteStream(logFile, { flags: 'a' })
  const lastLines = keepOutput(child, file)
  const ready = Promise.withResolvers<string | null>()
  // A caller that doesn't await this learns of the end from `ended`.
  ready.promise.catch(() => {})
  child.on('message', (message: RoleMessage) => {
    if (message.type === 'ready') ready.resolve(message.url)
    else options.onNotice?.(`${options.name ?? options.role}: ${message.text}`)
  })
  if (options.yields)
    ready.promise.then(
      () => yieldProcessor(child),
      () => {},
    )
  const ended = endOf(child)
  ended.then((how) =>
    ready.reject(
      new Error(`the ${options.name ?? options.role} ${how}:\n${lastLines().join('\n')}`),
    ),
  )
  return { pid: child.pid ?? 0, ready: ready.promise, ended, stop: () => stop(child, ended, env) }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started (${error.message})`))
    child.once('close', (code, signal) =>
      resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`),
    )
  })
}

function yieldProcessor({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(getPriority(pid) + 10, 19))
  } catch {
    // It has ended, or the system knows no priorities.
  }
}

function send(child: ChildProcess, message: HeldRoleMessage): void {
  if (child.connected) child.send(message, () => {})
}

async function stop(
  child: ChildProcess,
  ended: Promise<string>,
  { API_DRAIN_SECONDS: drain }: NodeJS.ProcessEnv,
): Promise<void> {
  send(child, END_ROLE)
  // A role that can't read its variables has ended.
  const drainMs = 1_000 * Number(drain ?? 0) || 0
  const force = setTimeout(() => child.kill('SIGKILL'), drainMs + TIMEOUT_MS)
  await ended
  clearTimeout(force)
}

function keepOutput(child: ChildProcess, file: WriteStream | null): () => string[] {
  const lines: string[] = []
  file?.on('error', () => {})
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      file?.write(chunk)
      lines.push(...chunk.toString('utf8').split('\n').filter(Boolean))
      lines.splice(0, lines.length - 20)
    })
  }
  child.once('close', () => file?.end())
  return () => [...lines]
}
