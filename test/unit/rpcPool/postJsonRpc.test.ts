import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { postJsonRpc } from '../../../services/chain/rpcPool/postJsonRpc.ts'

it('sends the credentials of a URL as a header', async () => {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ result: request.headers.authorization ?? null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const post = (url: string) => postJsonRpc(url, {}, { timeoutMs: 5_000, mostBytes: 1_000 })
    const expected = `Basic ${btoa('name:p@ss')}`
    expect(await post(`http://name:p%40ss@${host}/`)).toEqual({ result: expected })
    expect(await post(`http://${host}/`)).toEqual({ result: null })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

it.each([
  ['http://127.0.0.1:9', 'bad port'],
  ['http://127.0.0.1:65534', 'ECONNREFUSED'],
])('says why it can’t connect to %s', async (url, reason) => {
  const failed = postJsonRpc(url, {}, { timeoutMs: 5_000, mostBytes: 1_000 })
  await expect(failed).rejects.toThrow(reason)
})
