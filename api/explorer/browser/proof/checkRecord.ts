import type { VerifiedIntent } from '../../../../sdk/verify/index.ts'
import { compareIndexedRecord } from './compareIndexedRecord.ts'
import { fetchIndexedRecord } from './fetchIndexedRecord.ts'

/**
 * Checks that the server's record of an intent is what its events prove.
 *
 * @returns the number of proven fields
 * @throws Error that names the others
 */
export async function checkRecord(
  origin: string,
  { intentId, facts: { source, deliveries } }: VerifiedIntent,
): Promise<number> {
  if (source === null) throw new Error('The intent’s creation isn’t among the events')
  const record = await fetchIndexedRecord(origin, intentId)
  const { proven, different, unproven } = compareIndexedRecord(record, { source, deliveries })
  if (different.length > 0)
    throw new Error(`The server’s record differs from the proof in: ${different.join(', ')}`)
  if (unproven.length > 0)
    throw new Error(
      `The server’s record has values that no proven event shows: ${unproven.join(', ')}. If they are new, verify again`,
    )
  return proven
}
