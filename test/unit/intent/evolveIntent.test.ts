import { encodeAbiParameters, keccak256, parseAbiParameters, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { fold, given } from './intentSpecification.ts'
import * as scene from './sampleIntent.ts'

const { created, anchored, bid, deposited, delivered, settled, cancelled, refunded } = scene

describe('evolve', () => {
  test('a creation opens the intent, with the deadline of the bridge’s terms', () => {
    given()
      .when(created())
      .thenSource({
        sourceChainId: scene.SOURCE,
        intentId: scene.INTENT,
        phase: 'open',
        sender: scene.SENDER,
        destChainId: scene.DESTINATION,
        endTime: scene.END_TIME,
        firmAt: scene.FIRM_AT,
        pickupDeadline: scene.PICKUP_DEADLINE,
        paramsHash: scene.PARAMS_HASH,
        quorum: 1,
        blobsHash: zeroHash,
        createTxHash: scene.txHash('IntentCreated', scene.T),
        createdAt: scene.T,
        blobCount: 0,
        bidCount: 0,
        feeBps: null,
        recipientClass: null,
        solver: null,
        updatedAt: scene.T,
      })
  })

  test('blobs count when they are not empty: at creation, in the anchor, appended', () => {
    given()
      .when(created({ encryptedBlob: '0x01' }))
      .thenSource({ blobCount: 1 })
    given(created())
      .when(anchored())
      .thenSource({ blobCount: 1, feeBps: 250, recipientClass: 4, anchoredAt: scene.T + 5 })
    given(created(), anchored())
      .when(scene.blobAppended(scene.T + 9))
      .thenSource({ blobCount: 2 })
  })

  test('the commitment to blobs is the contract’s: kind by kind, an empty anchor too, until firmAt', () => {
    const commit = (previous: Hex, kind: number, blob: Hex) =>
      keccak256(
        encodeAbiParameters(parseAbiParameters('bytes32, uint8, bytes32'), [
          previous,
          kind,
          keccak256(blob),
        ]),
      )
    const withCreation = commit(zeroHash, 1, '0x01')
    const anchorsToo = commit(withCreation, 2, '0x')
    const history = [created({ encryptedBlob: '0x01' }), anchored(scene.T + 5, 250, '0x')]
    given(history[0]!).when(history[1]!).thenSource({ blobsHash: anchorsToo, blobCount: 1 })
    const appended = commit(anchorsToo, 3, '0x01')
    given(...history)
      .when(scene.blobAppended(scene.T + 9))
      .thenSource({ blobsHash: appended })
    given(...history, scene.blobAppended(scene.T + 9))
      .when(scene.blobAppended(scene.FIRM_AT - 1, 4))
      .thenSource({ blobsHash: commit(appended, 4, '0x01'), blobCount: 3 })
    given(...history)
      .when(scene.blobAppended(scene.FIRM_AT))
      .thenNothingChanged()
  })

  test('recipients are final for the last third of the auction, at most for firmSeconds', () => {
    const firmOf = (duration: number) =>
      fold(created({ endTime: BigInt(scene.T + duration) })).source!.firmAt - scene.T
    expect([20, 89, 90, 91, 3600].map(firmOf)).toEqual([14, 60, 60, 61, 3570])
  })

  test('the winner’s request and the reveal are recorded', () => {
    const won = [created(), anchored(), bid(), deposited()]
    given(...won)
      .when(scene.asked())
      .thenSource({ askedAt: scene.DEPOSIT_TIME + 900, revealedAt: null })
    given(...won, scene.asked())
      .when(scene.revealed())
      .thenSource({ revealedAt: scene.DEPOSIT_TIME + 1000 })
  })

  test('a delivery records what the token refused', () => {
    const facts = fold(created(), anchored(), bid(), deposited(), delivered(), scene.credited(7n))
    expect(facts.deliveries).toMatchObject([{ credited: 7n, amountB: 950_000n }])
  })

  test('each bid is the new best one', () => {
    given(created(), anchored(), bid(950_000n, scene.RIVAL))
      .when(bid(960_000n, scene.SOLVER, scene.T + 30))
      .thenSource({ phase: 'bidding', bidCount: 2, bestBid: 960_000n, bestBidder: scene.SOLVER })
  })

  test('a deposit names the winner, who need not be the best bidder', () => {
    given(created(), anchored(), bid(950_000n, scene.RIVAL))
      .when(deposited(920_000n, scene.SOLVER))
      .thenSource({
        phase: 'deposited',
        solver: scene.SOLVER,
        winningAmountB: 920_000n,
        bestBid: 950_000n,
        bestBidder: scene.RIVAL,
        bond: scene.BOND,
        fillDeadline: scene.FILL_DEADLINE,
      })
  })

  test('a settlement, a cancellation and the two refunds end it', () => {
    const won = [created(), anchored(), bid(), deposited()]
    given(...won)
      .when(settled())
      .thenSource({ phase: 'completed', payout: 980_000n, fee: 25_000n, refundAmount: null })
    given(created())
      .when(cancelled())
      .thenSource({ phase: 'cancelled', cancelledAt: scene.T + 50, refundAmount: 1_005_000n })
    given(created())
      .when(refunded(0, scene.END_TIME))
      .thenSource({ phase: 'expired', refundAmount: 1_005_000n, forfeitedBond: 0n })
    given(...won)
      .when(refunded(1, scene.REFUNDABLE_FROM))
      .thenSource({ phase: 'failed', refundAmount: 1_005_000n, forfeitedBond: scene.BOND })
  })

  test('a delivery may come before the intent, and is kept once', () => {
    const early = fold(delivered())
    expect(early).toMatchObject({ source: null, deliveries: [{ solver: scene.SOLVER }] })
    expect(fold(delivered(), delivered())).toEqual(early)
    expect(fold(delivered(), created()).deliveries).toEqual(early.deliveries)
  })

  test('a delivery for an impossible source chain is ignored', () => {
    for (const sourceChainId of [0n, 2n ** 53n, 2n ** 191n]) {
      given(created()).when(delivered({ sourceChainId })).thenNothingChanged()
    }
  })

  test('events of no intent, and events before the creation, change nothing', () => {
    const credit = { owner: scene.SOLVER, token: scene.TOKEN_A, amount: 1n }
    given(created())
      .when(scene.event('CreditAdded', credit, scene.T + 1))
      .thenNothingChanged()
    given().when(bid()).thenNothingChanged()
  })

  test('the given facts are not changed', () => {
    const before = fold(created(), delivered())
    const copy = structuredClone(before)
    Object.freeze(before.source)
    Object.freeze(before.deliveries)
    fold(created(), delivered(), bid())
    expect(before).toEqual(copy)
  })
})
