import { expect, test } from 'vitest'
import { bundleStanding } from '../../../services/bundles/bundleStanding.ts'
import type { BlobContents, BlobProblem, OpenedBlob } from '../../../services/enclave/port.ts'
import {
  type BlobOnChain,
  recipientsNamed,
} from '../../../services/enclave/settlement/recipientsNamed.ts'

/** A blob that opens to these recipients, or doesn't for this reason. */
type Blob = { event: BlobOnChain['event']; holds: readonly string[] | BlobProblem }

async function namedBy(...blobs: Blob[]) {
  const onChain = blobs.map(({ event }, at) => ({ event, blob: `0x0${at}` as const }))
  const named = await recipientsNamed(onChain, (blob): OpenedBlob => {
    const { holds } = blobs[Number(blob)] as Blob
    if (typeof holds === 'string') return { ok: false, reason: holds }
    const contents = { recipients: holds } as unknown as BlobContents
    return { ok: true, keyId: '0x00000000', contents }
  })
  return named === null || named === 'KEY_MISSING' ? named : named.recipients
}

const created = (holds: Blob['holds']): Blob => ({ event: 'IntentCreated', holds })
const anchored = (holds: Blob['holds']): Blob => ({ event: 'IntentAnchored', holds })
const appended = (holds: Blob['holds']): Blob => ({ event: 'BlobAppended', holds })

test('the last blob that opens and names anybody counts', async () => {
  expect(await namedBy()).toBe(null)
  expect(await namedBy(created(['a']), anchored('NOT_A_BLOB'))).toEqual(['a'])
  expect(await namedBy(created(['a']), anchored(['b']))).toEqual(['b'])
  // Metadata alone names nobody, and what was meant for another creation is nobody's.
  expect(await namedBy(anchored(['b']), appended(['c']), appended([]))).toEqual(['c'])
  expect(await namedBy(anchored('OTHER_USER'), appended(['c']))).toEqual(['c'])
  expect(await namedBy(created(['a']), anchored('OTHER_PARAMS'))).toEqual(['a'])
  expect(await namedBy(created('NOT_DECRYPTABLE'), anchored('OTHER_INTENT'))).toBe(null)
})

test('no earlier blob is taken for one of the relayer’s whose key is missing', async () => {
  expect(await namedBy(anchored(['b']), appended('UNKNOWN_KEY'))).toBe('KEY_MISSING')
  expect(await namedBy(created(['a']), anchored('UNKNOWN_KEY'))).toBe('KEY_MISSING')
  expect(await namedBy(anchored('UNKNOWN_KEY'), appended(['c']))).toEqual(['c'])
  // The sender's own may be for whatever key it likes.
  expect(await namedBy(created('UNKNOWN_KEY'), anchored('NOT_A_BLOB'))).toBe(null)
})

test('a bundle waits, is on chain, or came too late', () => {
  const onChain = { event: 'BlobAppended', blob: '0x01' } as const
  const inTime = [onChain]
  expect(bundleStanding('0x01', { inTime, depositBlock: 7 })).toBe('on_chain')
  expect(bundleStanding('0x02', { inTime, depositBlock: null })).toBe('waiting')
  expect(bundleStanding('0x02', { inTime, depositBlock: 7 })).toBe('too_late')
})
