import { expect, test } from 'vitest'
import { renderIntentCached } from '../../../api/rest/intents/renderedIntentCache.ts'
import { type BridgeOf, renderIntent } from '../../../api/rest/intents/renderIntent.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { foldKnown } from '../intent/intentSpecification.ts'
import * as scene from '../intent/sampleIntent.ts'

const { anchored, bid, created, delivered, deposited } = scene
const BRIDGE: BridgeOf = { address: scene.BRIDGE, terms: scene.TERMS }

/** The chains at these times; the source chain's blocks are final up to `finalized`. */
function headsAt(source: number, destination: number, finalized: number | null = null): ChainHeads {
  const marks = { safeBlock: null, finalizedBlock: finalized }
  const clocks = [...scene.clocksAt(source, destination)]
  return new Map(clocks.map(([chainId, clock]) => [chainId, { ...clock, ...marks }])) as never
}

const PICKUP = scene.END_TIME + 60
const LATE = scene.FILL_DEADLINE
test.each([
  ['an auction', [created(), anchored(), bid()]],
  ['an auction without bids', [created(), anchored()]],
  ['a deposit', [created(), anchored(), bid(), deposited()]],
  ['a delivery', [created(), anchored(), bid(), deposited(), delivered()]],
])('the cached record of %s follows time like a new one', (_, events) => {
  const stored = { ...foldKnown(...events), sequence: 1n, events: [] } as unknown as StoredIntent
  const moments = [
    ...[scene.T, scene.END_TIME, PICKUP, scene.PICKUP_DEADLINE].map((at) => headsAt(at, at)),
    headsAt(LATE - 1, LATE - 1),
    headsAt(LATE - 1, LATE),
    headsAt(scene.REFUNDABLE_FROM, LATE - 1),
    headsAt(scene.REFUNDABLE_FROM, LATE),
    headsAt(scene.REFUNDABLE_FROM, LATE, 10_000),
    headsAt(scene.T, scene.T),
  ]
  const otherBridge = { ...BRIDGE, terms: { ...scene.TERMS, settlementGrace: 1 } }
  for (const bridge of [BRIDGE, otherBridge]) {
    for (const heads of moments) {
      const fresh = JSON.stringify({ success: true, intent: renderIntent(stored, heads, bridge) })
      const cached = renderIntentCached(stored, heads, bridge)
      expect(cached.body).toBe(fresh)
      // Time alone makes nothing new.
      expect(renderIntentCached(stored, new Map(heads), bridge)).toBe(cached)
    }
  }
  const last = headsAt(scene.REFUNDABLE_FROM, LATE)
  renderIntentCached(stored, last, otherBridge)
  const fresh = renderIntent(stored, last, BRIDGE)
  expect(JSON.parse(renderIntentCached(stored, last, BRIDGE).body).intent).toEqual(fresh)
})
