import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What becomes of an answer on its way; throwing is a refusal. */
export type Distort = (method: string, result: unknown, params: readonly unknown[]) => unknown

/** A proxy to a real node that changes its answers. */
export async function startLyingNode(rpc: string, distort: Distort) {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { id, method, params } = JSON.parse(text)
    const answer = await fetch(rpc, { ...POST, body: text })
    const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown }
    const body = { jsonrpc: '2.0', id }
    try {
      const said = error ? { error } : { result: distort(method, result, params ?? []) }
      response.end(JSON.stringify({ ...body, ...said }))
    } catch {
      response.end(JSON.stringify({ ...body, error: { code: -32000, message: 'refused' } }))
    }
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

const POST = { method: 'POST', headers: { 'content-type': 'application/json' } }
