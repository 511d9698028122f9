/**
 * The guard: a small process that stands between us and a program that can't watch for our end
 * itself (PostgreSQL, anvil, Ponder). It starts the program, and when the channel to us closes, be
 * it after `kill -9`, it ends the program: politely first, by force when the patience is over.
 *
 * Run by `spawnGuarded`, which sends the `GuardOrder` as the first message: not as an argument,
 * since arguments can be read by every user of the machine.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { GuardMessage, GuardOrder } from './guardOrder.ts'

process.once('message', (order) => run(order as GuardOrder))
// Gone before it gave an order; `run` replaces this.
process.once('disconnect', () => process.exit(0))
// The terminal's Ctrl-C is for our parent to handle in order, not for each program at once.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

function run(order: GuardOrder): void {
  const program = spawn(order.command, order.args, {
    cwd: order.cwd,
    env: order.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(order.uid !== undefined && { uid: order.uid }),
    ...(order.gid !== undefined && { gid: order.gid }),
  })
  const end = endOnce(program, order)

  relay(program.stdout, process.stdout)
  relay(program.stderr, process.stderr)
  program.on('spawn', () => send({ type: 'started', pid: program.pid as number }))
  program.on('error', (error) => leave({ type: 'failed', reason: error.message }))
  program.on('exit', (code, signal) => {
    const said = () => leave({ type: 'ended', code, signal })
    program.once('close', said)
    // A grandchild may hold the output streams open for longer than we want to wait.
    setTimeout(said, 500)
  })

  process.on('message', end)
  process.removeAllListeners('disconnect').on('disconnect', end)
  process.on('SIGTERM', end)
}

function endOnce(program: ChildProcess, order: GuardOrder): () => void {
  let asked = false
  return () => {
    if (asked) return
    asked = true
    program.kill(order.endSignal)
    setTimeout(() => program.kill('SIGKILL'), order.patienceMs).unref()
  }
}

/** Passes output on, and goes on reading when nobody listens, so that the program never blocks on it or dies of it. */
function relay(from: NodeJS.ReadableStream | null, to: NodeJS.WriteStream): void {
  to.on('error', () => {})
  from?.on('data', (chunk) => {
    if (process.connected) to.write(chunk)
  })
}

function send(message: GuardMessage): void {
  if (process.connected) process.send?.(message, () => {})
}

function leave(message: GuardMessage): void {
  if (process.connected) process.send?.(message, () => process.exit(0))
  else process.exit(0)
}
