import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RoleMessage } from '../../../services/process/roleMessages.ts'

/** A role in a process of its own, so that its memory and output can be checked. */
export type RoleUnderAttack = {
  /** Its base URL; empty for the enclave, which listens on a socket. */
  url: string
  /** All output so far. */
  output(): string
  hasEnded(): boolean
  /** Heap size after garbage collection. */
  heapMegabytes(): Promise<number>
  stop(): Promise<void>
}

/** Starts a role of `services/main.ts` and waits until it is ready. */
export async function startRoleUnderAttack(
  role: string,
  env: Record<string, string>,
): Promise<RoleUnderAttack> {
  // Only the debugger can trigger garbage collection from outside without stopping the program.
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', 'services/main.ts', role], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const url = await waitUntilReady(child, () => output)
  return {
    url,
    output: () => output,
    hasEnded,
    heapMegabytes: () => measureHeap(findDebuggerUrl(output)),
    stop: async () => {
      if (hasEnded()) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

function waitUntilReady(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: RoleMessage) => {
      if (message.type === 'ready') resolve(message.url ?? '')
    })
    child.once('exit', () => reject(new Error(output())))
  })
}

function findDebuggerUrl(output: string): string {
  const [, url] = /Debugger listening on (ws:\/\/\S+)/.exec(output) ?? []
  if (url === undefined) throw new Error('the role announced no debugger')
  return url
}

type HeapUsage = { usedSize: number; backingStorageSize?: number }

/** Objects, plus their buffers outside V8's heap. */
async function measureHeap(url: string): Promise<number> {
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
  // What finalizers release is only collected in the next run.
  await ask(1, 'HeapProfiler.collectGarbage')
  await ask(2, 'HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize = 0 } = (await ask(3, 'Runtime.getHeapUsage')) as HeapUsage
  socket.close()
  return (usedSize + backingStorageSize) / 2 ** 20
}
