import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPushEventRoutes } from '../../../api/rest/events/pushEventRoutes.ts'
import { type SeededApi, startSeededApi } from './seededApi.ts'

const run = promisify(execFile)
const text = await readFile(new URL('../../../docs/rest.md', import.meta.url), 'utf8')
const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1]!)
/** The first block names the intent that the others are about. */
const [setUp = '', ...examples] = blocks

let api: SeededApi

beforeAll(async () => {
  const events = createPushEventRoutes({ onProblem: () => {}, heartbeatMs: 200 })
  api = await startSeededApi({ intents: 400, routes: [events] })
})
afterAll(async () => {
  await api?.stop()
})

test.each(examples)('docs/rest.md: %s', async (example) => {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', setUp + example], {
    env: { ...process.env, API: api.url },
  })
  expect(stdout.length).toBeGreaterThan(2)
  expect(stdout).not.toContain('"success":false')
})

test('the documented poll ends in a 304', async () => {
  const poll = examples.find((example) => example.includes('If-None-Match'))!
  const { stdout } = await run('bash', ['-c', setUp + poll], {
    env: { ...process.env, API: api.url },
  })
  expect(stdout).toBe('304\n')
})

test('the documents have an example of each endpoint', async () => {
  const { body } = await api.get('/openapi.json')
  const named = Object.keys(body.paths).map((path) => path.replace(/\/\{.*?\}/g, ''))
  for (const path of named) expect(text).toContain(`$API${path.split('/events')[0]}`)
})
