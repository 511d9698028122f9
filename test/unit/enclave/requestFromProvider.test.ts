import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  ProviderRefusal,
  requestFromProvider,
} from '../../../services/enclave/providers/requestFromProvider.ts'

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

let behaviour: Behaviour
let requests = 0
const server = createServer((request, response) => {
  requests += 1
  request.resume()
  behaviour(request, response)
})
const answer = (document: unknown): Behaviour => {
  return (_, response) => void response.end(JSON.stringify(document))
}
const host = () => `127.0.0.1:${(server.address() as AddressInfo).port}`
const ask = (url = `http://${host()}/`) => requestFromProvider(url, 'eth_blockNumber', [])

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeEach(() => {
  requests = 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('a URL may hold credentials', async () => {
  behaviour = ({ headers }, response) =>
    response.end(JSON.stringify({ result: headers.authorization ?? null }))
  expect(await ask(`http://name:p%40ss@${host()}/`)).toBe(`Basic ${btoa('name:p@ss')}`)
})

test('a JSON-RPC error is a refusal with its code, and is not asked again', async () => {
  behaviour = answer({ error: { code: -32_601, message: 'no such method' } })
  const refusal = await ask().catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ProviderRefusal)
  expect(refusal).toMatchObject({ code: -32_601 })
  expect(requests).toBe(1)
})

test('a request whose connection breaks is sent once more', async () => {
  behaviour = ({ socket }, response) => {
    if (requests === 1) socket.destroy()
    else response.end(JSON.stringify({ result: '0x1' }))
  }
  expect(await ask()).toBe('0x1')
  behaviour = ({ socket }) => socket.destroy()
  requests = 0
  await expect(ask()).rejects.toThrow()
  expect(requests).toBe(2)
})

test('a redirect is refused: another host has no vote', async () => {
  behaviour = (request, response) => {
    if (request.url === '/') response.writeHead(307, { location: '/elsewhere' }).end()
    else response.end(JSON.stringify({ result: '0x1' }))
  }
  await expect(ask()).rejects.toThrow()
})

test('an answer of more than 4 MB is refused', async () => {
  behaviour = answer({ result: '0'.repeat(4 * 1024 * 1024) })
  await expect(ask()).rejects.toMatchObject({ failure: 'oversized' })
})
