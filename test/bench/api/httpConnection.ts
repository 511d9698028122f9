import { connect, type Socket } from 'node:net'

/** An answer's size and status; the body is kept on request only. */
type Answered = { status: number; body: string | null }

/** A keep-alive HTTP/1.1 connection with one request at a time and minimal overhead. */
type HttpConnection = {
  /** Sends a request's bytes; resolves with the answer. */
  send(request: string, keepBody: boolean, done: (answer: Answered) => void): void
  close(): void
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** Connects to a loopback port. An error ends the process: a partial load is useless. */
export async function openConnection(port: number): Promise<HttpConnection> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const waiting: { done: ((answer: Answered) => void) | null; keepBody: boolean } = {
    done: null,
    keepBody: false,
  }
  receive(socket, (status, body) => {
    const { done } = waiting
    waiting.done = null
    done?.({ status, body: waiting.keepBody ? body() : null })
  })
  return {
    send: (request, keepBody, done) => {
      waiting.done = done
      waiting.keepBody = keepBody
      socket.write(request)
    },
    close: () => socket.destroy(),
  }
}

/** Calls `take` for each complete answer on the socket. */
function receive(socket: Socket, take: (status: number, body: () => string) => void): void {
  let held: Buffer = Buffer.alloc(0)
  let requested = 0
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    if (held.length < requested) return
    const headEnd = held.indexOf(HEAD_END)
    if (headEnd === -1) return
    const head = held.toString('latin1', 0, headEnd)
    const start = headEnd + HEAD_END.length
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length !== undefined) {
      requested = start + Number(length)
      if (held.length < requested) return
    } else if (!held.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return
    const whole = held
    held = Buffer.alloc(0)
    requested = 0
    take(Number(head.slice(9, 12)), () => bodyOf(whole, start, length === undefined))
  })
}

function bodyOf(answer: Buffer, start: number, chunked: boolean): string {
  if (!chunked) return answer.toString('utf8', start)
  const parts: Buffer[] = []
  for (let place = start; ; ) {
    const lineEnd = answer.indexOf('\r\n', place)
    const size = Number.parseInt(answer.toString('latin1', place, lineEnd), 16)
    if (!(size > 0)) return Buffer.concat(parts).toString('utf8')
    parts.push(answer.subarray(lineEnd + 2, lineEnd + 2 + size))
    place = lineEnd + 2 + size + 2
  }
}

/** A request's bytes. */
export function requestText({ path, body }: { path: string; body?: string }): string {
  const head = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n`
  if (body === undefined) return `${head}\r\n`
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
