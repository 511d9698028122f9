import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createAdminGate } from '../../../api/http/auth/adminGate.ts'
import { freshTimestamp, signatureHeader } from '../../../api/http/auth/signatureHeaders.ts'
import type { ApiEnv } from '../../../api/http/honoEnvironment.ts'
import { createRequestGate } from '../../../api/http/limits/requestGate.ts'
import { toApiError } from '../../../api/http/toApiError.ts'

const [one, other] = ['a'.repeat(32), 'ü'.repeat(16)]
const NOW = 1_800_000_000

function appOf() {
  const gate = createAdminGate([one, other])
  const app = new Hono<ApiEnv>()
  app.onError((error, c) => c.text(toApiError(error).code, toApiError(error).status))
  app.get('/admin', (c) => c.text(gate.enter(c)))
  app.get('/time', (c) => c.text(String(freshTimestamp(c, NOW))))
  app.get('/signature', (c) => c.text(String(signatureHeader(c, 'x-solver-signature'))))
  return app
}

async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await appOf().request(path, { headers })
  return [answer.status, await answer.text()]
}

describe('the admin gate', () => {
  it('knows each token, and names it in the journal without telling it', async () => {
    const [status, id] = await ask('/admin', { authorization: `Bearer ${one}` })
    expect([status, id]).toEqual([200, expect.stringMatching(/^[0-9a-f]{8}$/)])
    expect((await ask('/admin', { authorization: `bearer   ${one}` }))[0]).toBe(200)
  })

  it('says 401 without a bearer token, 403 with a wrong one', async () => {
    expect(await ask('/admin')).toEqual([401, 'UNAUTHORIZED'])
    expect(await ask('/admin', { authorization: 'Bearer ' })).toEqual([401, 'UNAUTHORIZED'])
    expect(await ask('/admin', { authorization: one })).toEqual([401, 'UNAUTHORIZED'])
    expect(await ask('/admin', { authorization: `Bearer ${one}a` })).toEqual([403, 'FORBIDDEN'])
  })

  it('can’t be made with short tokens, or none', () => {
    expect(() => createAdminGate(['a'.repeat(31)])).toThrow(RangeError)
    expect(() => createAdminGate([])).toThrow(RangeError)
  })
})

describe('signed headers', () => {
  it('take a timestamp within five minutes, either way', async () => {
    const at = (offset: number) => ask('/time', { 'x-timestamp': String(NOW + offset) })
    expect(await at(300)).toEqual([200, String(NOW + 300)])
    expect(await at(-300)).toEqual([200, String(NOW - 300)])
    for (const offset of [301, -301]) expect(await at(offset)).toEqual([400, 'STALE_TIMESTAMP'])
    for (const text of ['', 'x', '1e9', `${NOW}.5`, `-${NOW}`, `${NOW}000000`]) {
      expect(await ask('/time', { 'x-timestamp': text })).toEqual([400, 'STALE_TIMESTAMP'])
    }
    expect(await ask('/time')).toEqual([400, 'STALE_TIMESTAMP'])
  })

  it('tell a client the server’s time, since either clock may be wrong', () => {
    const c = { req: { header: () => '0' } } as unknown as Parameters<typeof freshTimestamp>[0]
    expect(() => freshTimestamp(c, NOW)).toThrow(`clock, which says ${NOW}`)
  })

  it('take hex of a bounded length for a signature', async () => {
    const of = (text: string) => ask('/signature', { 'x-solver-signature': text })
    expect(await of('0xAB')).toEqual([200, '0xab'])
    for (const text of ['', '0x', 'ab', '0xabc', '0xzz', `0x${'ab'.repeat(4_097)}`]) {
      expect(await of(text)).toEqual([400, 'INVALID_SIGNATURE'])
    }
    expect(await ask('/signature')).toEqual([200, 'null'])
  })
})

it('a client that uses up its share of the writes leaves the others theirs', () => {
  const slow = (burst: number) => ({ perSecond: 0.001, burst })
  const gate = createRequestGate({ reads: slow(1), writes: slow(4), clientWrites: slow(2) })
  const pass = (client: string) => gate.take('writes', client).allowed
  expect([pass('a'), pass('a'), pass('a'), pass('b'), pass('b'), pass('c')]).toEqual([
    ...[true, true, false, true, true, false],
  ])
})
