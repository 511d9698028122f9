import { describe, expect, it } from 'vitest'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { listFieldCertainties } from '../../../core/proof/listFieldCertainties.ts'
import { parseProof } from '../../../core/proof/parseProof.ts'
import { verifyIntentProof } from '../../../core/proof/verifyIntentProof.ts'
import { givenNeighbours } from './givenNeighbours.ts'
import {
  BRIDGE,
  bridgeLog,
  DESTINATION,
  givenDocument,
  INTENT,
  proveGiven,
  SOURCE,
} from './givenProof.ts'

describe("an intent's proof", () => {
  it('survives being written and read, and proves every event', async () => {
    const document = await givenDocument()
    expect(parseProof(JSON.stringify(document))).toEqual(document)
    const proven = await verifyIntentProof([document])
    expect(proven.events.map(({ event }) => [event.point.chainId, event.type])).toEqual([
      [SOURCE, 'IntentCreated'],
      [SOURCE, 'IntentAnchored'],
      [SOURCE, 'BidPlaced'],
      [SOURCE, 'SolverDeposited'],
      [SOURCE, 'IntentSettled'],
      [DESTINATION, 'IntentSolved'],
    ])
    expect(proven.isWhole).toBe(true)
    expect(proven.terms).toEqual({
      firmSeconds: 30,
      pickupWindow: 60,
      executionWindow: 3600,
      settlementGrace: 3600,
    })
  })

  it('folds to the facts of the record', async () => {
    const { facts } = await verifyIntentProof([await givenDocument()])
    expect(facts.source).toMatchObject({
      sourceChainId: SOURCE,
      intentId: INTENT,
      phase: 'completed',
      feeBps: 250,
      bidCount: 1,
      winningAmountB: 991_000n,
      payout: 1_030_000n,
      createdAt: 1_700_000_100,
      pickupDeadline: 1_700_000_160 + 120,
    })
    expect(facts.deliveries).toHaveLength(1)
  })

  it('distinguishes what is proven, what can still grow, and what is only claimed', async () => {
    const proven = await verifyIntentProof([await givenDocument()])
    const certainty = Object.fromEntries(
      listFieldCertainties(proven).map((field) => [field.field, field.certainty]),
    )
    expect(certainty).toMatchObject({
      amountA: 'proven',
      feeBps: 'proven',
      phase: 'proven',
      payout: 'proven',
      pickupDeadline: 'proven',
      bidCount: 'atLeast',
      bestBid: 'atLeast',
      blobCount: 'atLeast',
      updatedBlock: 'atLeast',
      createTxHash: 'claimed',
      settleTxHash: 'claimed',
    })
    // Nothing about what has not happened.
    expect(certainty).not.toHaveProperty('refundedAt')
    expect(certainty).not.toHaveProperty('cancelTxHash')
  })

  it('proves less from fewer events', async () => {
    const { events } = await givenDocument()
    const withoutEnd = await verifyIntentProof([
      await givenDocument({ events: events.slice(0, 3), deployment: null }),
    ])
    const fields = new Map(
      listFieldCertainties(withoutEnd).map((one) => [one.field, one.certainty]),
    )
    expect(fields.get('phase')).toBe('atLeast')
    expect(fields.has('pickupDeadline')).toBe(false)
    expect(fields.has('payout')).toBe(false)

    const withoutCreation = await verifyIntentProof([await givenDocument({ events: [events[3]!] })])
    expect(withoutCreation.events).toHaveLength(1)
    expect(listFieldCertainties(withoutCreation)).toEqual([])
  })

  it('accepts pages in any order, and notices a missing one', async () => {
    const whole = await givenDocument()
    const [a, b, c] = ['1.1.1.1', '2.1.2.1', null]
    const pages = [
      { ...whole, events: whole.events.slice(0, 2), page: { after: null, next: a! } },
      { ...whole, events: whole.events.slice(2, 4), page: { after: a!, next: b! } },
      { ...whole, events: whole.events.slice(4), page: { after: b!, next: c! } },
    ] as const
    const all = await verifyIntentProof([pages[2], pages[0], pages[1]])
    expect(all.isWhole).toBe(true)
    expect(all.facts).toEqual((await verifyIntentProof([whole])).facts)
    expect((await verifyIntentProof([pages[0], pages[2]])).isWhole).toBe(false)
    expect((await verifyIntentProof([pages[1]])).isWhole).toBe(false)
  })

  it('includes what the token refused of its own delivery only', async () => {
    const whole = await givenDocument()
    const credited = (chainId: number, chain2IntentId: bigint) =>
      proveGiven({
        chainId,
        blockNumber: 25,
        timestamp: 1_700_000_240,
        type: 'DeliveryCredited',
        log: bridgeLog('DeliveryCredited', { chain2IntentId, tokenB: BRIDGE, amount: 400n }),
      })
    const own = await credited(DESTINATION, 3n)
    const { facts } = await verifyIntentProof([{ ...whole, events: [...whole.events, own] }])
    expect(facts.deliveries[0]).toMatchObject({ chain2IntentId: 3n, credited: 400n })

    // On a page without its delivery it may be a stranger's, and is left out.
    const page = { ...whole, events: [own], page: { after: '1.1.1.1', next: null } }
    const alone = await verifyIntentProof([page])
    expect([alone.isWhole, alone.events]).toEqual([false, []])

    for (const other of [await credited(DESTINATION, 4n), await credited(SOURCE, 3n)]) {
      const forged = { ...whole, events: [...whole.events, other] }
      await expect(verifyIntentProof([forged])).rejects.toThrow(
        expect.objectContaining({ code: 'EVENT_OF_ANOTHER_INTENT' }),
      )
    }
  })

  it('accepts events of one block and of neighbouring blocks that are linked', async () => {
    const proven = await verifyIntentProof([
      await givenDocument({ events: await givenNeighbours() }),
    ])
    expect(proven.events).toHaveLength(2)
    expect(proven.events[1]!.parentHash).toBe(proven.events[0]!.event.point.blockHash)
  })

  it("hashes each event's own header", async () => {
    for (const event of (await givenDocument()).events) {
      expect(hashHeader(event.header)).toBe(event.blockHash)
    }
  })
})
