import { expect, it } from 'vitest'
import { ReceiptsTooLargeError } from '../../../api/rest/proof/eventProver.ts'
import { createIntentProofBuilder, readCursor } from '../../../api/rest/proof/intentProofBuilder.ts'
import { verifyEventProof } from '../../../core/proof/verifyEventProof.ts'
import { verifyIntentProof } from '../../../core/proof/verifyIntentProof.ts'
import { placeOfEvent } from '../../../services/store/events/listEvents.ts'
import { toEventRow } from '../../../src/projection/eventRow.ts'
import { BRIDGE, givenDocument, INTENT, SOURCE } from './givenProof.ts'

it('makes shorter pages where the events’ receipts are too large for one answer', async () => {
  const { events, bridges } = await givenDocument()
  const rows = await Promise.all(
    events.map(async (proof) => toEventRow((await verifyEventProof(proof, BRIDGE)).event)),
  )
  const asked: number[] = []
  const charges: number[] = []
  const build = createIntentProofBuilder({
    reads: {
      find: async () => ({ sourceChainId: SOURCE, intentId: INTENT }),
      eventsOf: async (_intent, after, limit) => {
        const from = after === null ? 0 : rows.findIndex((row) => isAt(row, after)) + 1
        return rows.slice(from, from + limit)
      },
      deploymentOf: async () => null,
    },
    prove: async (some, charge) => {
      asked.push(some.length)
      charge(some.length)
      if (some.length > 2) throw new ReceiptsTooLargeError()
      return some.map((row) => events[rows.indexOf(row)]!)
    },
    // Each page is a request of its own.
    budget: () => {
      charges.push(0)
      return (units) => void charges.push((charges.pop() ?? 0) + units)
    },
    chains: bridges.map(({ chainId, name }) => ({ chainId, name, bridge: BRIDGE, nodes: [] })),
  })
  const page = (cursor: string | null) =>
    build({
      intentId: INTENT,
      limit: 5,
      after: cursor === null ? null : readCursor(cursor),
      client: 'a',
    })
  const first = await page(null)
  const second = await page(first.page.next)
  const third = await page(second.page.next)
  expect([first, second, third].map(({ events }) => events.length)).toEqual([2, 2, 2])
  // From the second page on, fewer events are left than a page may have.
  expect(asked).toEqual([5, 3, 2, 4, 2, 2])
  expect(charges).toEqual([10, 6, 2])
  expect((await verifyIntentProof([first, second, third])).isWhole).toBe(true)
})

function isAt(row: Parameters<typeof placeOfEvent>[0], place: object): boolean {
  return JSON.stringify(placeOfEvent(row)) === JSON.stringify(place)
}
