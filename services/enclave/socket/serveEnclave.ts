import { createServer, type Server, type Socket } from 'node:net'
import { EnclaveError } from '../enclaveError.ts'
import type { Enclave } from '../enclaveInterface.ts'
import { OPERATIONS, type OperationName } from '../operationSchemas.ts'
import { type CallLanes, chooseLane, createCallLanes } from './callLanes.ts'
import { type Answer, type Call, callSchema } from './callSchema.ts'
import { claimSocketPath, limitCallers, SocketPathError } from './claimSocketPath.ts'
import { createFrameReader, encodeFrame } from './messageFrames.ts'

/** Maximum concurrent calls per connection; further ones get `ENCLAVE_BUSY`. */
const MAX_PENDING = 1_024

const MAX_CONNECTIONS = 64

type ServedEnclave = {
  path: string
  stop(): Promise<void>
}

/**
 * Serves an enclave on a Unix socket that only this user can open or, in a directory of mode 0750, that directory's group.
 * A peer that sends anything but frames is disconnected, without further consequences. Calls run in their priority's
 * turn, and not at all once their caller has given up.
 *
 * @param chainIds the enclave's configured chains: a silent one doesn't hold up the others
 * @throws when others can access the directory, or another process serves there
 */
export async function serveEnclave(
  enclave: Enclave,
  path: string,
  chainIds: readonly number[],
): Promise<ServedEnclave> {
  await claimSocketPath(path)
  const connections = new Set<Socket>()
  const lanes = createCallLanes()
  const configured = new Set(chainIds)
  const laneOf = (call: Call) => chooseLane(call, configured)
  const server = createServer((socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    // The peer may have disconnected.
    socket.on('error', () => socket.destroy())
    serveConnection(enclave, socket, { lanes, laneOf })
  })
  server.maxConnections = MAX_CONNECTIONS
  await listen(server, path)
  try {
    limitCallers(path)
  } catch (error) {
    server.close()
    throw error
  }
  return {
    path,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
}

function serveConnection(
  enclave: Enclave,
  socket: Socket,
  { lanes, laneOf }: { lanes: CallLanes; laneOf(call: Call): string },
): void {
  const read = createFrameReader()
  let pending = 0
  const send = (answer: Answer) => {
    if (socket.writable) socket.write(encodeAnswer(answer))
  }
  const refuse = ({ id }: Call) => send({ id, ok: false, code: 'ENCLAVE_BUSY' })
  const take = (call: Call) => {
    if (pending >= MAX_PENDING) return refuse(call)
    pending++
    const until = performance.now() + (call.withinMs ?? Number.POSITIVE_INFINITY)
    lanes.add({
      priority: call.priority,
      lane: laneOf(call),
      isWanted: () => socket.writable && performance.now() < until,
      run: async () => {
        send(await answer(enclave, call))
        pending--
      },
      drop: () => {
        refuse(call)
        pending--
      },
    })
  }
  socket.on('data', (piece) => {
    try {
      for (const message of read(piece)) take(callSchema.parse(message))
    } catch {
      socket.destroy()
    }
  })
}

/** Never rejects. */
async function answer(enclave: Enclave, { id, operation, request }: Call): Promise<Answer> {
  try {
    if (!Object.hasOwn(OPERATIONS, operation)) throw new EnclaveError('UNKNOWN_OPERATION')
    const perform = enclave[operation as OperationName] as (request: unknown) => Promise<unknown>
    const result = OPERATIONS[operation as OperationName].response.parse(await perform(request))
    return { id, ok: true, result }
  } catch (error) {
    if (!(error instanceof EnclaveError)) return { id, ok: false, code: 'ENCLAVE_FAILED' }
    return { id, ok: false, code: error.code, field: error.field }
  }
}

/** An answer too large for a frame becomes an error. */
function encodeAnswer(answer: Answer): Buffer {
  try {
    return encodeFrame(answer)
  } catch {
    return encodeFrame({ id: answer.id, ok: false, code: 'ENCLAVE_FAILED' })
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(
        new SocketPathError(
          `the enclave’s socket ${path} can’t be made (${code}): check the owner and mode of its folder, and that the file system takes sockets`,
        ),
      ),
    )
    server.listen(path, resolve)
  })
}
