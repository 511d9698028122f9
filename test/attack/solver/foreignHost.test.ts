import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startSolverApi } from '../../../api/solverService/startSolverApi.ts'

/** The status of a solver's answer to a request under this name. */
async function answerTo(hostHeader: string, listensAt = '127.0.0.1'): Promise<number | undefined> {
  const solver = { isAlive: () => true } as never
  const api = await startSolverApi({ solver, host: listensAt, port: 0, adminTokens: [] })
  onTestFinished(() => api.stop())
  const { port } = new URL(api.url)
  const headers = { host: hostHeader.replace('PORT', port) }
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/health', headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

test('a page whose name was made to resolve to this machine can’t read a solver’s answers', async () => {
  for (const host of [
    'evil.example:PORT',
    'evil.example',
    '127.0.0.1.evil.example:PORT',
    '192.0.2.1',
  ])
    expect(await answerTo(host)).toBe(403)
})

test('a solver answers under its own names, and under any where it is reachable from outside', async () => {
  for (const host of ['127.0.0.1:PORT', 'localhost:PORT', 'localhost', '[::1]:PORT', '127.0.0.2'])
    expect(await answerTo(host)).toBe(200)
  expect(await answerTo('solver.example', '0.0.0.0')).toBe(200)
})
