/**
 * The guard: a small process between us and programs that don't notice our end themselves (PostgreSQL, anvil, Ponder).
 * It starts them, and ends them when its channel to us closes, even after `kill -9`: first by a signal, later by force.
 *
 * `runUnderProcessGuard` runs one guard for all programs of a process. The program to run comes as a message rather
 * than an argument, since every user of the machine can read arguments.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { GuardMessage, GuardOrder, ProgramNews, ProgramOrder } from './processGuardMessages.ts'

/** How to end each running program. */
const programs = new Map<number, () => void>()

process.on('message', (message: GuardOrder) => {
  if (message.type === 'run') run(message.id, message.order)
  else programs.get(message.id)?.()
})
process.on('disconnect', () => {
  endAll()
  leaveIfAlone()
})
process.on('SIGTERM', endAll)
// Our parent handles the terminal's Ctrl-C in order; it must not reach every program at the same time.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

function run(id: number, order: ProgramOrder): void {
  try {
    follow(id, start(order), order)
  } catch (error) {
    finish(id, { type: 'failed', reason: (error as Error).message })
  }
}

function start(order: ProgramOrder): ChildProcess {
  return spawn(order.command, order.args, {
    cwd: order.cwd,
    env: order.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(order.uid !== undefined && { uid: order.uid }),
    ...(order.gid !== undefined && { gid: order.gid }),
  })
}

function follow(id: number, program: ChildProcess, order: ProgramOrder): void {
  programs.set(id, endOnce(program, order))
  for (const from of ['stdout', 'stderr'] as const) {
    // Always reads, so that the program never blocks on its output or dies of it.
    program[from]
      ?.setEncoding('utf8')
      .on('data', (text) => send(id, { type: 'output', from, text }))
  }
  program.on('spawn', () => send(id, { type: 'started', pid: program.pid as number }))
  program.on('error', ({ message }) => {
    if (program.pid === undefined) finish(id, { type: 'failed', reason: message })
  })
  program.on('exit', (code, signal) => {
    const report = () => finish(id, { type: 'ended', code, signal })
    program.once('close', report)
    // A grandchild may keep the output streams open for too long.
    setTimeout(report, 500)
  })
}

function endOnce(program: ChildProcess, order: ProgramOrder): () => void {
  let asked = false
  return () => {
    if (asked) return
    asked = true
    program.kill(order.endSignal)
    setTimeout(() => program.kill('SIGKILL'), order.timeoutMs).unref()
  }
}

function endAll(): void {
  for (const end of programs.values()) end()
}

function finish(id: number, news: ProgramNews): void {
  programs.delete(id)
  send(id, news)
  leaveIfAlone()
}

function leaveIfAlone(): void {
  if (!process.connected && programs.size === 0) process.exit(0)
}

function send(id: number, news: ProgramNews): void {
  if (process.connected) process.send?.({ id, news } satisfies GuardMessage, () => {})
}
