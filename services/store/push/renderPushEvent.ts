import { type PushEvent, type PushType, pushEventId } from '../../../core/push/pushEvent.ts'
import type { JournalLine } from './readJournal.ts'

/** A line of the journal as receivers get it. */
export function renderPushEvent({
  sequence,
  type,
  data,
  recordedAt,
}: Pick<JournalLine, 'sequence' | 'type' | 'data' | 'recordedAt'>): PushEvent {
  return {
    id: pushEventId(sequence),
    type: type as PushType,
    timestamp: recordedAt.toISOString(),
    data: data as PushEvent['data'],
  }
}
