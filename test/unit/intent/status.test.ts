import { describe, expect, test } from 'vitest'
import { findSettledDelivery, findValidDelivery } from '../../../core/intent/findWinnersDelivery.ts'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { deriveStatus } from '../../../core/intent/status.ts'
import { foldKnown, given } from './intentSpecification.ts'
import * as scene from './sampleIntent.ts'

const { created, anchored, bid, deposited, delivered, settled, cancelled, refunded } = scene
const { clocksAt, END_TIME, PICKUP_DEADLINE, FILL_DEADLINE, T } = scene

const opened = [created(), anchored()]
const bidFor = [...opened, bid()]
const won = [...bidFor, deposited()]

describe('status: the auction', () => {
  test('pending until endTime, expired from that second on, when nobody bid', () => {
    given(...opened)
      .at(clocksAt(END_TIME - 1))
      .thenStatus('pending', { substatus: 'awaiting_bids' })
    given(...opened)
      .at(clocksAt(END_TIME))
      .thenStatus('expired', { substatus: 'no_bids' })
    given(created()).at(clocksAt(T)).thenStatus('pending', { substatus: 'awaiting_anchor' })
  })

  test('with a bid, pending through both pickup windows', () => {
    const pending = (time: number, substatus: string) =>
      expect(deriveStatus(foldKnown(...bidFor), clocksAt(time))).toEqual({
        status: 'pending',
        substatus,
        isTerminal: false,
      })
    pending(END_TIME - 1, 'auction_running')
    pending(END_TIME, 'awaiting_best_bidder')
    pending(END_TIME + 59, 'awaiting_best_bidder')
    pending(END_TIME + 60, 'awaiting_any_solver')
    pending(PICKUP_DEADLINE - 1, 'awaiting_any_solver')
    given(...bidFor)
      .at(clocksAt(PICKUP_DEADLINE))
      .thenStatus('expired', { substatus: 'no_deposit', isTerminal: false })
  })

  test('the destination chain’s clock expires nothing', () => {
    given(...opened)
      .at(clocksAt(T, FILL_DEADLINE * 2))
      .thenStatus('pending')
  })

  test('a chain without a clock is never late', () => {
    given(...opened)
      .at(clocksAt())
      .thenStatus('pending')
    given(...won)
      .at(clocksAt(FILL_DEADLINE * 2))
      .thenStatus('solving')
  })
})

describe('status: the winner’s time', () => {
  test('solving until fillDeadline on the destination chain, failed from then on', () => {
    given(...won)
      .at(clocksAt(T, FILL_DEADLINE - 1))
      .thenStatus('solving')
    given(...won)
      .at(clocksAt(T, FILL_DEADLINE))
      .thenStatus('failed', { substatus: 'not_delivered', isTerminal: false })
  })

  test('a winner that asked waits for the recipients until they are on chain', () => {
    const time = clocksAt(T, FILL_DEADLINE - 1)
    given(...won, scene.asked())
      .at(time)
      .thenStatus('solving', { substatus: 'awaiting_recipients' })
    given(...won, scene.asked(), scene.revealed())
      .at(time)
      .thenStatus('solving', { substatus: 'awaiting_delivery' })
    given(...won, scene.asked())
      .at(clocksAt(T, FILL_DEADLINE))
      .thenStatus('failed', { substatus: 'recipients_withheld', isTerminal: false })
    given(...won, scene.asked(), refunded(1, FILL_DEADLINE + 9, 0n))
      .at(time)
      .thenStatus('failed', { substatus: 'recipients_withheld', isTerminal: true })
  })

  test('a winner may deliver again: the settlement says which delivery counts, until then the first', () => {
    const [first, second] = [
      packIntentId(scene.DESTINATION, 1n),
      packIntentId(scene.DESTINATION, 2n),
    ]
    const twice = [...won, delivered({ chain2IntentId: second }), delivered()]
    expect(findValidDelivery(foldKnown(...twice))?.chain2IntentId).toBe(first)
    expect(findSettledDelivery(foldKnown(...twice))).toBeNull()
    const settlement = settled()
    const named = { ...settlement, args: { ...settlement.args, chain2IntentId: second } }
    const after = foldKnown(...twice, named as typeof settlement)
    expect(findValidDelivery(after)?.chain2IntentId).toBe(second)
    expect(findSettledDelivery(after)?.chain2IntentId).toBe(second)
  })

  test('settled once the winner delivered, however late it becomes', () => {
    given(...won, delivered())
      .at(clocksAt(FILL_DEADLINE * 2, FILL_DEADLINE * 2))
      .thenStatus('settled', { substatus: 'awaiting_settlement', isTerminal: false })
  })

  test('more than was promised, in the last second, still counts', () => {
    given(...won, delivered({ amountB: 2n ** 256n - 1n, at: FILL_DEADLINE - 1 }))
      .at(clocksAt(T, FILL_DEADLINE))
      .thenStatus('settled')
  })
})

describe('status: a delivery that doesn’t count never makes an intent settled', () => {
  const hostile = {
    'by a stranger': delivered({ solver: scene.STRANGER }),
    'by the best bidder who is not the winner': delivered({ solver: scene.RIVAL }),
    'of another token': delivered({ tokenB: scene.OTHER_TOKEN }),
    'of the source token': delivered({ tokenB: scene.TOKEN_A }),
    'for other terms': delivered({ paramsHash: `0x${'33'.repeat(32)}` }),
    'one unit short': delivered({ amountB: 949_999n }),
    'at fillDeadline': delivered({ at: END_TIME + 60 + scene.TERMS.executionWindow }),
    'on a chain that is not the destination': delivered({ chainId: scene.ELSEWHERE }),
    'on the source chain itself': delivered({ chainId: scene.SOURCE }),
    'for the same sequence of another chain': delivered({ sourceChainId: BigInt(scene.ELSEWHERE) }),
    'for another intent': delivered({ intentId: scene.INTENT + 1n }),
    'for a chain id that overflows': delivered({ sourceChainId: 2n ** 64n + BigInt(scene.SOURCE) }),
  }

  for (const [what, delivery] of Object.entries(hostile)) {
    test(what, () => {
      const auction = [created(), anchored(), bid(), bid(951_000n, scene.RIVAL, T + 30)]
      const mine = deposited(950_000n, scene.SOLVER, END_TIME + 60)
      for (const events of [
        [...auction, mine, delivery],
        [delivery, ...auction, mine],
      ]) {
        given(...events)
          .at(clocksAt(T, T))
          .thenStatus('solving')
        given(...events)
          .at(clocksAt(T, FILL_DEADLINE + 60))
          .thenStatus('failed')
      }
    })
  }

  test('before anybody has deposited, even if all else fits', () => {
    given(delivered(), ...bidFor)
      .at(clocksAt(END_TIME))
      .thenStatus('pending')
    given(delivered(), ...bidFor)
      .at(clocksAt(PICKUP_DEADLINE))
      .thenStatus('expired')
  })

  test('a hundred strangers’ deliveries don’t hide the winner’s', () => {
    const noise = Array.from({ length: 100 }, (_, i) =>
      delivered({ chain2IntentId: BigInt(i + 2), solver: scene.STRANGER }),
    )
    given(...won, ...noise)
      .at(clocksAt(T, T))
      .thenStatus('solving')
    given(...won, ...noise, delivered())
      .at(clocksAt(T, T))
      .thenStatus('settled')
  })
})

describe('status: the ends', () => {
  const late = clocksAt(FILL_DEADLINE * 2, FILL_DEADLINE * 2)

  test('a chain event is final whatever the clocks say', () => {
    given(...won, delivered(), settled())
      .at(late)
      .thenStatus('completed', { isTerminal: true })
    given(created(), cancelled()).at(late).thenStatus('cancelled', { isTerminal: true })
    given(...opened, refunded(0, END_TIME))
      .at(clocksAt(T))
      .thenStatus('expired', { substatus: 'no_bids', isTerminal: true })
    given(...bidFor, refunded(0, PICKUP_DEADLINE))
      .at(clocksAt(T))
      .thenStatus('expired', { substatus: 'no_deposit', isTerminal: true })
  })

  test('completed without a delivery being known: the settlement’s attestation is enough', () => {
    given(...won, settled())
      .at(clocksAt(T))
      .thenStatus('completed', { isTerminal: true })
  })

  test('a failed refund says whether the winner had delivered', () => {
    const refund = refunded(1, scene.REFUNDABLE_FROM)
    const failed = (substatus: 'not_delivered' | 'delivery_invalid' | 'delivered_unsettled') =>
      ({ substatus, isTerminal: true }) as const
    given(...won, refund)
      .at(late)
      .thenStatus('failed', failed('not_delivered'))
    given(...won, delivered({ amountB: 1n }), refund)
      .at(late)
      .thenStatus('failed', failed('delivery_invalid'))
    given(...won, delivered({ solver: scene.STRANGER }), refund)
      .at(late)
      .thenStatus('failed', failed('not_delivered'))
    given(...won, delivered(), refund)
      .at(late)
      .thenStatus('failed', failed('delivered_unsettled'))
  })
})
