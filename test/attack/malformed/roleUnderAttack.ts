import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RoleMessage } from '../../../services/process/roleMessages.ts'

/** A role as an operator runs it, in a process of its own, so that its memory and all that it writes are its own. */
export type RoleUnderAttack = {
  /** Where it listens; empty for the enclave, which has a socket. */
  url: string
  /** All that it has written so far. */
  said(): string
  hasEnded(): boolean
  /** What it holds in memory once everything that nobody needs is thrown away. */
  heapMegabytes(): Promise<number>
  stop(): Promise<void>
}

/** Starts a role of `services/main.ts`, and waits until it is ready. */
export async function startRoleUnderAttack(
  role: string,
  env: Record<string, string>,
): Promise<RoleUnderAttack> {
  // The debugger of a program that isn't stopped by it is the only way to have its garbage collected.
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', 'services/main.ts', role], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk
    })
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const url = await readyAt(child, () => said)
  return {
    url,
    said: () => said,
    hasEnded,
    heapMegabytes: () => heapOf(debuggerIn(said)),
    stop: async () => {
      if (hasEnded()) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

function readyAt(child: ChildProcess, said: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: RoleMessage) => {
      if (message.type === 'ready') resolve(message.url ?? '')
    })
    child.once('exit', () => reject(new Error(said())))
  })
}

function debuggerIn(said: string): string {
  const [, url] = /Debugger listening on (ws:\/\/\S+)/.exec(said) ?? []
  if (url === undefined) throw new Error('the role tells of no debugger')
  return url
}

type HeapUsage = { usedSize: number; backingStorageSize?: number }

/** Objects, and the buffers that they hold outside V8's own heap. */
async function heapOf(url: string): Promise<number> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const ask = async (id: number, method: string) => {
    socket.send(JSON.stringify({ id, method }))
    for (;;) {
      const [event] = await once(socket, 'message')
      const answer = JSON.parse(String(event.data))
      if (answer.id === id) return answer.result
    }
  }
  // What finalizers let go of is only collected the next time.
  await ask(1, 'HeapProfiler.collectGarbage')
  await ask(2, 'HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize = 0 } = (await ask(3, 'Runtime.getHeapUsage')) as HeapUsage
  socket.close()
  return (usedSize + backingStorageSize) / 2 ** 20
}
