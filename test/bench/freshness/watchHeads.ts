/** Heads of a chain as a WebSocket subscriber sees them; times are `performance.now()`. */
type HeadWatch = {
  /** The next head announced. */
  next(): Promise<{ blockNumber: bigint; seenAt: number }>
  close(): void
}

/** Subscribes to `newHeads`, without any library in between that could add its own delay. */
export async function watchHeads(url: string): Promise<HeadWatch> {
  const socket = new WebSocket(url)
  let waiting: ((head: { blockNumber: bigint; seenAt: number }) => void)[] = []
  socket.addEventListener('message', ({ data }) => {
    const seenAt = performance.now()
    const number = JSON.parse(String(data)).params?.result?.number
    if (number === undefined) return
    const listeners = waiting
    waiting = []
    for (const listener of listeners) listener({ blockNumber: BigInt(number), seenAt })
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`no WebSocket at ${url}`)))
  })
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  return {
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () => socket.close(),
  }
}
