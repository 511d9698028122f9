import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ProxyCount, ProxyMessage } from './latencyProxyThread.ts'

/** A node as seen from far away: each request takes this much longer. */
export type LatencyProxy = {
  url: string
  /** The same over a WebSocket: each direction takes half. */
  wsUrl: string
  /** Returns the traffic since the last call, and resets the counts. */
  count(): Promise<ProxyCount>
  close(): Promise<void>
}

/**
 * Starts a proxy in front of a node, in its own thread.
 *
 * @param rpc `http://127.0.0.1:<port>` of the node
 */
export async function startLatencyProxy(rpc: string, latencyMs: number): Promise<LatencyProxy> {
  const thread = new Worker(new URL('./latencyProxyThread.ts', import.meta.url), {
    workerData: { target: rpc, latencyMs },
  })
  const next = async () => ((await once(thread, 'message')) as [ProxyMessage])[0]
  const first = await next()
  if (first.type !== 'listening') throw new Error('the proxy did not begin by listening')
  return {
    url: `http://127.0.0.1:${first.port}`,
    wsUrl: `ws://127.0.0.1:${first.port}`,
    async count() {
      const answer = next()
      thread.postMessage('count')
      const message = await answer
      if (message.type !== 'count') throw new Error('the proxy did not count')
      return message.count
    },
    close: async () => {
      await thread.terminate()
    },
  }
}
