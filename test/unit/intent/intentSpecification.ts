import { expect } from 'vitest'
import type { Clocks } from '../../../core/intent/chainClocks.ts'
import { evolveIntent } from '../../../core/intent/evolveIntent.ts'
import { deriveStatus, type IntentStatus, type Status } from '../../../core/intent/status.ts'
import type { BridgeEvent } from '../../../src/event/bridgeEvent.ts'
import {
  type IntentFacts,
  isKnown,
  type KnownIntent,
  NO_FACTS,
  type SourceFacts,
} from '../../../src/intent/intentFacts.ts'
import { TERMS } from './sampleIntent.ts'

/** Facts of the scene's intent after these events. */
export function fold(...events: BridgeEvent[]): IntentFacts {
  return events.reduce<IntentFacts>((facts, event) => evolveIntent(facts, event, TERMS), NO_FACTS)
}

/** The same, of an intent whose creation is among the events. */
export function foldKnown(...events: BridgeEvent[]): KnownIntent {
  const facts = fold(...events)
  if (!isKnown(facts)) throw new Error('these events create no intent')
  return facts
}

/** given these events, when this one happens, then the source chain's facts contain that. */
export function given(...past: BridgeEvent[]): {
  when(event: BridgeEvent): {
    thenSource(expected: Partial<SourceFacts>): void
    thenNothingChanged(): void
  }
  /** given these events, at these times, then this is the status. */
  at(clocks: Clocks): { thenStatus(status: Status, rest?: Partial<IntentStatus>): void }
} {
  return {
    when: (event) => ({
      thenSource: (expected) => expect(fold(...past, event).source).toMatchObject(expected),
      thenNothingChanged: () => expect(fold(...past, event)).toEqual(fold(...past)),
    }),
    at: (clocks) => ({
      thenStatus: (word, rest = {}) =>
        expect(deriveStatus(foldKnown(...past), clocks)).toMatchObject({ status: word, ...rest }),
    }),
  }
}
