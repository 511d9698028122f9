import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { fetchProof } from '../../../sdk/verify/fetchProof.ts'

const PAUSE_MS = 10_000

/** Pauses of this length end at once. */
beforeEach(() => {
  const original = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) =>
    original(run, ms === PAUSE_MS ? 0 : ms)) as typeof setTimeout)
})

afterEach(() => void vi.restoreAllMocks())

test('a further page that the rate limit refuses is requested again after a pause', async () => {
  const { baseUrl, asked } = await startRelayer(['first', 429, 429, 'second', 'third'])
  expect(await fetchProof(baseUrl, 1n, 5_000)).toHaveLength(3)
  expect(asked).toEqual([null, 'first', 'first', 'first', 'second'])
})

test.each([
  ['the first page isn’t', [429], 1],
  ['a further one that stays refused is given up after five attempts', ['first', 429], 6],
])('%s', async (_, answers, requests) => {
  const { baseUrl, asked } = await startRelayer(answers)
  await expect(fetchProof(baseUrl, 1n, 5_000)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect(asked).toHaveLength(requests)
})

/** A relayer that gives one answer after the other, and repeats the last: a page that names the next one, or a refusal. */
async function startRelayer(answers: readonly (string | number)[]) {
  const asked: (string | null)[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]!
    asked.push(new URL(request.url!, 'http://localhost').searchParams.get('cursor'))
    const isLast = asked.length >= answers.length
    if (typeof answer === 'number') response.writeHead(answer).end('{"code":"RATE_LIMITED"}')
    else response.end(JSON.stringify({ page: { next: isLast ? null : answer } }))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
