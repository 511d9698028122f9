import { expect, test } from 'vitest'
import { findStuckIntentAdvice } from '../../../api/rest/operations/stuckIntentAdvice.ts'

test.each([
  ['PROVIDERS_UNREACHABLE', 'agreeingWitnesses'],
  ['BLOCK_NOT_AGREED', 'contradict each other'],
  ['NOT_DELIVERED', 'didn’t pay every recipient'],
  ['KEY_MISSING', 'restore the root file'],
  ['QUORUM_MISSING', 'ENCLAVE_SOCKETS'],
  ['CHAIN_NOT_CONFIGURED', 'CHAINS'],
])('an operator reads what to do about %s', (cause, words) => {
  expect(findStuckIntentAdvice(cause)).toContain(words)
})

test.each([
  ...['RECIPIENTS_UNKNOWN', 'RECIPIENTS_INVALID', 'SIGNATURE_REQUIRED', 'SIGNATURE_INVALID'],
  ...['CLASS_EXCEEDED', 'FEE_TIER_FIXED', 'N_TOO_LOW', 'BLOB_TOO_LARGE', 'TOO_MANY_BLOBS'],
  ...['NOT_DELIVERED', 'FEE_TOO_SMALL', 'SENDER_PAYS_NOTHING', 'TOO_MANY_SAFES'],
])('%s, which lasts until the intent changes, isn’t called retried', (cause) => {
  expect(findStuckIntentAdvice(cause)).not.toContain('retried automatically')
})
