import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/** A provider's WebSocket that sends what the test tells it to. */
export type FakeRpcWebSocketServer = {
  url: string
  /** Subscriptions requested so far. */
  subscribed(): number
  /** Sends a new head to every subscriber. */
  announce(head: unknown): void
  /** Drops all connections. */
  drop(): void
  close(): void
}

export async function startFakeRpcWebSocketServer(): Promise<FakeRpcWebSocketServer> {
  const http = createServer()
  const server = new WebSocketServer({ server: http })
  let subscribed = 0
  server.on('connection', (socket) =>
    socket.on('message', () => {
      socket.send('{"jsonrpc":"2.0","id":1,"result":"0x9"}')
      subscribed += 1
    }),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const drop = () => {
    for (const socket of server.clients) socket.terminate()
  }
  return {
    drop,
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
    subscribed: () => subscribed,
    announce(result) {
      const params = { subscription: '0x9', result }
      const text = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })
      for (const socket of server.clients) socket.send(text)
    },
    close() {
      drop()
      http.close()
    },
  }
}
