import type { ProgramOrder } from './processGuardMessages.ts'
import { runUnderProcessGuard } from './runUnderProcessGuard.ts'

export type GuardedEnd = { code: number | null; signal: NodeJS.Signals | null; reason?: string }

/** A running program that ends when this process does. */
export type GuardedProcess = {
  /** Process id of the program itself. */
  pid: number
  /** Resolves when the program has ended for any reason. Never rejects. */
  ended: Promise<GuardedEnd>
  /** Calls the listener for each line of both output streams; returns a function that removes it. */
  onLine(listener: (line: string) => void): () => void
  /**
   * Resolves to null once a line, past or future, contains `words`, or to the program's last lines if it ends instead.
   */
  says(words: string): Promise<string | null>
  /** The latest lines of output (at most 40), for error messages. */
  lastLines(): string[]
  /** Asks the program to end, and resolves when it has. Safe to call repeatedly. */
  end(): Promise<GuardedEnd>
}

type SpawnGuardedOptions = {
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
  /** Default SIGTERM. */
  endSignal?: NodeJS.Signals
  /** Milliseconds between the end signal and SIGKILL. Default 10,000. */
  timeoutMs?: number
}

/**
 * Starts a program under this process's guard, so that it ends with this process, even after `kill -9`.
 *
 * @throws if the program can't be started
 */
export async function spawnGuardedProcess(
  command: string,
  args: string[],
  options: SpawnGuardedOptions = {},
): Promise<GuardedProcess> {
  const order: ProgramOrder = {
    command,
    args,
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? process.env,
    endSignal: options.endSignal ?? 'SIGTERM',
    timeoutMs: options.timeoutMs ?? 10_000,
    ...(options.uid !== undefined && { uid: options.uid }),
    ...(options.gid !== undefined && { gid: options.gid }),
  }
  const lines = collectLines()
  const { started, ended, end } = run(order, lines)
  const pid = await Promise.race([
    started,
    ended.then((how) => {
      throw new Error(`could not start ${command}: ${how.reason ?? `exit code ${how.code}`}`)
    }),
  ])
  return {
    pid,
    ended,
    onLine: lines.onLine,
    lastLines: lines.last,
    says: (words) => says(words, lines, ended),
    end: () => {
      end()
      return ended
    },
  }
}

function run(order: ProgramOrder, lines: OutputLines) {
  const started = Promise.withResolvers<number>()
  const ended = Promise.withResolvers<GuardedEnd>()
  const end = runUnderProcessGuard(order, (news) => {
    if (news.type === 'started') started.resolve(news.pid)
    else if (news.type === 'output') lines.add(news.from, news.text)
    else if (news.type === 'ended') ended.resolve({ code: news.code, signal: news.signal })
    else ended.resolve({ code: null, signal: null, reason: news.reason })
  })
  return { started: started.promise, ended: ended.promise, end }
}

function says(
  words: string,
  lines: OutputLines,
  ended: Promise<GuardedEnd>,
): Promise<string | null> {
  return new Promise((resolve) => {
    const stopListening = lines.onLine(matchLine)
    function matchLine(line: string) {
      if (!line.includes(words)) return
      stopListening()
      resolve(null)
    }
    for (const line of lines.last()) matchLine(line)
    ended.then(() => resolve(lines.last().join('\n')))
  })
}

/** Number of latest lines kept for error messages. */
const KEPT = 40

/** Joins chunks of a program's output streams into lines. */
type OutputLines = {
  add(stream: string, text: string): void
  /** Calls the listener for each line; returns a function that removes it. */
  onLine(listener: (line: string) => void): () => void
  last(): string[]
}

function collectLines(): OutputLines {
  const recent: string[] = []
  const listeners = new Set<(line: string) => void>()
  const rests = new Map<string, string>()
  return {
    add: (stream, text) => {
      const parts = ((rests.get(stream) ?? '') + text).split('\n')
      rests.set(stream, parts.pop() ?? '')
      for (const line of parts) {
        recent.push(line)
        if (recent.length > KEPT) recent.shift()
        for (const listener of listeners) listener(line)
      }
    },
    onLine: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    last: () => [...recent],
  }
}
