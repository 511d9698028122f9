import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HELD_ROLE } from './heldRole.ts'
import { compileCache } from './modules/compileCache.ts'
import { END_ROLE, type HeldRoleMessage, type RoleMessage } from './roleMessages.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** How long a role may take to end, in milliseconds. */
const TIMEOUT_MS = 12_000

export type SpawnRoleOptions = {
  role: string
  /** What it is called in notices, where several run in one role; default: the role. */
  name?: string
  env: NodeJS.ProcessEnv
  /** Variables that are known later. The role loads itself meanwhile, and begins when it has them. */
  laterEnv?: Promise<NodeJS.ProcessEnv>
  /** File to which its output is added; default: our own output. */
  logFile?: string
  /** Megabytes that its objects may take before it ends; default: Node's own limit. */
  heapMegabytes?: number
  onNotice?: (text: string) => void
}

/** A role that runs as a child process. It ends when this process does, `kill -9` included. */
export type ChildRole = {
  pid: number
  /** Where it can be reached. @throws with its last words if it ended before it was ready */
  ready: Promise<string | null>
  /** Resolves with how it ended. Never rejects. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** Starts a role of main.ts, the same program that production runs. */
export function spawnRole(options: SpawnRoleOptions): ChildRole {
  const { env, laterEnv, logFile, heapMegabytes } = options
  const heap = heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]
  const output = logFile === undefined ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, ['--no-warnings', ...heap, MAIN, options.role], {
    env: { ...compileCache(env), ...env, ...(laterEnv && { [HELD_ROLE]: '1' }) },
    stdio: ['ignore', output, output, 'ipc'],
    // A separate group: the terminal's Ctrl-C reaches the devnet, which ends things in order.
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
  // A caller that doesn't wait for it learns of the end from `ended`.
  ready.promise.catch(() => {})
  child.on('message', (message: RoleMessage) => {
    if (message.type === 'ready') ready.resolve(message.url)
    else options.onNotice?.(message.text)
  })
  const ended = endOf(child)
  ended.then((how) =>
    ready.reject(
      new Error(`the ${options.name ?? options.role} ${how}:\n${lastLines().join('\n')}`),
    ),
  )
  return { pid: child.pid ?? 0, ready: ready.promise, ended, stop: () => stop(child, ended) }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started (${error.message})`))
    child.once('close', (code, signal) =>
      resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`),
    )
  })
}

function send(child: ChildProcess, message: HeldRoleMessage): void {
  if (child.connected) child.send(message, () => {})
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  send(child, END_ROLE)
  const force = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
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
