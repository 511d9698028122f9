import { expect, test } from 'vitest'
import { isOperatorFault } from '../../../services/push/deliver/isOperatorFault.ts'

const WELL = { sinceAnswer: 1_000, clockDifference: 0 }
const CUT_OFF = { ...WELL, sinceAnswer: 60_001 }
const CLOCK_BEHIND = { ...WELL, clockDifference: -300_000 }

test.each([
  ['an answer', { status: 500, error: null }, WELL, false],
  ['an answer while nobody else answers', { status: 404, error: null }, CUT_OFF, false],
  ['a refusal of a wrong clock’s signature', { status: 401, error: null }, CLOCK_BEHIND, true],
  ['an error beside a wrong clock', { status: 500, error: null }, CLOCK_BEHIND, false],
  ['gone, beside a wrong clock', { status: 410, error: null }, CLOCK_BEHIND, false],
  ['acceptance beside a wrong clock', { status: 204, error: null }, CLOCK_BEHIND, false],
  ['a secret that doesn’t open', { status: null, error: 'SECRET_LOST' }, WELL, true],
  [
    'an http URL without ALLOW_PRIVATE_WEBHOOKS',
    { status: null, error: 'PRIVATE_REFUSED' },
    WELL,
    true,
  ],
  ['no free file descriptor', { status: null, error: 'EMFILE' }, WELL, true],
  ['no way there', { status: null, error: 'ENETUNREACH' }, WELL, false],
  ['no way to anybody', { status: null, error: 'ENETUNREACH' }, CUT_OFF, true],
  ['silent name servers', { status: null, error: 'NAME_UNRESOLVED' }, CUT_OFF, true],
  ['a certificate', { status: null, error: 'CERT_HAS_EXPIRED' }, WELL, false],
  ['everybody’s certificates', { status: null, error: 'CERT_HAS_EXPIRED' }, CUT_OFF, true],
  ['no such name', { status: null, error: 'ENOTFOUND' }, CUT_OFF, false],
  ['a refused connection', { status: null, error: 'ECONNREFUSED' }, CUT_OFF, false],
  ['a receiver that never answers', { status: null, error: 'TIMEOUT' }, CUT_OFF, false],
])('%s', (_, outcome, network, expected) => {
  expect(isOperatorFault(outcome, network)).toBe(expected)
})
