import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { inheritCompileCache } from './modules/inheritCompileCache.ts'
import type { GuardMessage, GuardOrder, ProgramNews, ProgramOrder } from './processGuardMessages.ts'

const GUARD = fileURLToPath(new URL('./processGuard.ts', import.meta.url))

/** A message about a program: the guard's report, or that the guard is gone, and the program with it. */
type ProgramListener = (news: ProgramNews | { type: 'lost'; reason: string }) => void

type Guard = { child: ChildProcess; listeners: Map<number, ProgramListener> }

/** This process's guard: started with the first program, it ends with us. */
let guard: Guard | null = null
let lastId = 0

/** Runs a program under the guard. @returns a function that ends it */
export function runUnderProcessGuard(order: ProgramOrder, listener: ProgramListener): () => void {
  guard ??= startGuard()
  const { child, listeners } = guard
  const id = ++lastId
  listeners.set(id, listener)
  keepUsAlive(child, true)
  send(child, { type: 'run', id, order })
  return () => {
    if (listeners.has(id)) send(child, { type: 'end', id })
  }
}

function startGuard(): Guard {
  // A separate session: the terminal's Ctrl-C reaches only us, and we shut down in order.
  const child = spawn(process.execPath, ['--no-warnings', GUARD], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
    env: { ...inheritCompileCache(), PATH: process.env.PATH },
  })
  const started: Guard = { child, listeners: new Map() }
  child.on('message', ({ id, news }: GuardMessage) => {
    const listener = started.listeners.get(id)
    const isLast = news.type === 'ended' || news.type === 'failed'
    if (isLast) started.listeners.delete(id)
    if (started.listeners.size === 0) keepUsAlive(child, false)
    listener?.(news)
  })
  // A killed guard can't end its programs, so end them here.
  child.on('exit', () => killGroup(child.pid))
  child.on('error', (error) => lose(started, error.message))
  // After its last message.
  child.on('disconnect', () => lose(started, 'its guard was killed'))
  return started
}

function lose(lost: Guard, reason: string): void {
  if (guard === lost) guard = null
  const listeners = [...lost.listeners.values()]
  lost.listeners.clear()
  for (const listener of listeners) listener({ type: 'lost', reason })
}

/** Keeps us alive only while the guard runs something. */
function keepUsAlive(child: ChildProcess, requested: boolean): void {
  const change = requested ? 'ref' : 'unref'
  child[change]()
  child.channel?.[change]()
}

function send(child: ChildProcess, order: GuardOrder): void {
  if (child.connected) child.send(order, () => {})
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // No process of it is left.
  }
}
