import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAdminGate } from '../../../api/http/auth/adminGate.ts'
import type { ApiEnv } from '../../../api/http/honoEnvironment.ts'
import { toApiError } from '../../../api/http/toApiError.ts'

/** Every comparison made, with both operands. */
const compared: [Buffer, Buffer][] = []

const original = crypto.timingSafeEqual
// Covers modules that import the function by name.
beforeAll(() => compareWith(noteAndCompare))
afterAll(() => compareWith(original))

function noteAndCompare(known: Buffer, given: Buffer): boolean {
  compared.push([known, given])
  return original(known, given)
}

function compareWith(compare: unknown): void {
  Object.assign(crypto, { timingSafeEqual: compare })
  syncBuiltinESMExports()
}

const TOKENS = ['first-token-'.padEnd(40, 'a'), 'other-token-'.padEnd(48, 'b')] as const

const app = new Hono<ApiEnv>()
const gate = createAdminGate(TOKENS)
app.onError((error, c) => c.text(toApiError(error).code, toApiError(error).status))
app.get('/', (c) => c.text(gate.enter(c)))

const [token, other] = TOKENS
const GUESSES: [string, string, number][] = [
  ['the first token', token, 200],
  ['the other token', other, 200],
  ['its first letter', token.slice(0, 1), 403],
  ['half of it', token.slice(0, 20), 403],
  ['all but its last letter', token.slice(0, -1), 403],
  ['it and a letter more', `${token}a`, 403],
  ['another last letter', token.replace(/a$/, 'b'), 403],
  ['other letters’ case', token.toUpperCase(), 403],
  ['thousands of letters', 'x'.repeat(5_000), 403],
]

it.each(
  GUESSES,
)('response times reveal nothing about a guessed token: %s', async (_, guess, status) => {
  compared.length = 0
  const answer = await app.request('/', { headers: { authorization: `Bearer ${guess}` } })
  expect(answer.status).toBe(status)
  // Compares all tokens even after a match, as digests of equal length.
  expect(compared).toHaveLength(TOKENS.length)
  for (const pair of compared) for (const { length } of pair) expect(length).toBe(32)
  const equal = compared.filter(([known, given]) => known.equals(given))
  expect(equal).toHaveLength(status === 200 ? 1 : 0)
})
