import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { GuardMessage, GuardOrder } from './guardOrder.ts'

const GUARD = fileURLToPath(new URL('./guard.ts', import.meta.url))

export type GuardedEnd = { code: number | null; signal: NodeJS.Signals | null; reason?: string }

/** A running program that ends when this process does. */
export type GuardedProcess = {
  /** Process id of the program itself. */
  pid: number
  /** Resolves when the program has ended, for whatever reason. Never rejects. */
  ended: Promise<GuardedEnd>
  /** Listens to lines of both output streams; returns the way to stop listening. */
  onLine(listener: (line: string) => void): () => void
  /** Resolves to null once a line holds `words`, also one that came before; to its last lines if it ended instead. */
  says(words: string): Promise<string | null>
  /** The latest lines of output (at most 40), for error messages. */
  lastLines(): string[]
  /** Asks the program to end, and resolves when it has. Safe to call more than once. */
  end(): Promise<GuardedEnd>
}

export type SpawnGuardedOptions = {
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
  /** Default SIGTERM. */
  endSignal?: NodeJS.Signals
  /** Milliseconds between the end signal and SIGKILL. Default 10,000. */
  patienceMs?: number
}

/**
 * Starts a program under a guard process, so that it ends when this process ends, `kill -9`
 * included. Throws if the program can't be started at all.
 */
export async function spawnGuarded(
  command: string,
  args: string[],
  options: SpawnGuardedOptions = {},
): Promise<GuardedProcess> {
  const order: GuardOrder = {
    command,
    args,
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? process.env,
    endSignal: options.endSignal ?? 'SIGTERM',
    patienceMs: options.patienceMs ?? 10_000,
    ...(options.uid !== undefined && { uid: options.uid }),
    ...(options.gid !== undefined && { gid: options.gid }),
  }
  // A session of its own: the terminal's Ctrl-C reaches us only, and we end things in order.
  const guard = spawn(process.execPath, ['--no-warnings', GUARD], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    env: { PATH: process.env.PATH },
  })
  const lines = collectLines([guard.stdout, guard.stderr])
  const { started, ended } = listenTo(guard)
  guard.send(order, () => {})
  const pid = await Promise.race([
    started,
    ended.then((end) => {
      throw new Error(`could not start ${command}: ${end.reason ?? `exit code ${end.code}`}`)
    }),
  ])
  return {
    pid,
    ended,
    onLine: lines.onLine,
    lastLines: lines.last,
    says: (words) => lines.says(words, ended),
    end: () => {
      if (guard.connected) guard.send('end', () => {})
      return ended
    },
  }
}

function listenTo(guard: ChildProcess): { started: Promise<number>; ended: Promise<GuardedEnd> } {
  const started = Promise.withResolvers<number>()
  const ended = Promise.withResolvers<GuardedEnd>()
  let reported: GuardedEnd | undefined
  guard.on('message', (message: GuardMessage) => {
    if (message.type === 'started') started.resolve(message.pid)
    else if (message.type === 'failed')
      reported = { code: null, signal: null, reason: message.reason }
    else reported = { code: message.code, signal: message.signal }
  })
  guard.on('error', (error) => ended.resolve({ code: null, signal: null, reason: error.message }))
  guard.on('exit', () => {
    // A guard that was itself killed can't end its program any more: do it in its place.
    if (!reported && guard.pid !== undefined) killGroup(guard.pid)
  })
  // Not at `exit`: the last lines of output, which say why, are read by then.
  guard.on('close', (code, signal) =>
    ended.resolve(reported ?? { code, signal, reason: 'its guard was killed' }),
  )
  return { started: started.promise, ended: ended.promise }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

function collectLines(streams: (NodeJS.ReadableStream | null)[]) {
  const recent: string[] = []
  const listeners = new Set<(line: string) => void>()
  for (const stream of streams) {
    let rest = ''
    stream?.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        recent.push(line)
        if (recent.length > 40) recent.shift()
        for (const listener of listeners) listener(line)
      }
    })
  }
  const onLine = (listener: (line: string) => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  const says = (words: string, ended: Promise<GuardedEnd>) =>
    new Promise<string | null>((resolve) => {
      const stopListening = onLine(look)
      function look(line: string) {
        if (!line.includes(words)) return
        stopListening()
        resolve(null)
      }
      // Output and the message that the program runs come through two channels: either may be first.
      for (const line of [...recent]) look(line)
      ended.then(() => resolve(recent.join('\n')))
    })
  return { last: () => [...recent], onLine, says }
}
