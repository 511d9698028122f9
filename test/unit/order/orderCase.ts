import { keccak256 } from 'viem'
import { decideOrderAction, type OrderAction } from '../../../core/order/decideOrderAction.ts'
import { evolveOrderState, type OrderState } from '../../../core/order/orderState.ts'
import type { Hex, LogPoint } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'

const ENCRYPTED: Hex = '0x0d'
export const ORDER: Hex = keccak256(ENCRYPTED)
export const START = 1_800_000_000
export const PER_PERIOD = 1_000n
export const OWNER: Hex = `0x${'a1'.repeat(20)}`
export const TOKEN: Hex = `0x${'70'.repeat(20)}`

type Schedule = {
  total: bigint
  perPeriod: bigint
  period: number
  startTime: number
  endTime: number
}

const SCHEDULE: Schedule = {
  total: 3_500n,
  perPeriod: PER_PERIOD,
  period: 60,
  startTime: START,
  endTime: START + 600,
}

/** Where and when a chain said something. */
function at(time: number): LogPoint {
  const hash: Hex = `0x${time.toString(16).padStart(64, '0')}`
  return {
    chainId: 84532,
    blockNumber: time - START + 1_000,
    blockHash: hash,
    logIndex: 0,
    blockTimestamp: time,
    transactionHash: hash,
    transactionFrom: OWNER,
  }
}

/** The order's funding event. */
export function funded(time = START, more: Partial<Schedule> = {}): ChainEvent {
  const { total, perPeriod, period, startTime, endTime } = { ...SCHEDULE, ...more }
  return {
    type: 'OrderFunded',
    point: at(time),
    args: {
      orderId: ORDER,
      owner: OWNER,
      token: TOKEN,
      destChainId: 2651420n,
      tokenB: TOKEN,
      expectedAmountB: 5n,
      totalAmount: total,
      amountPerPeriod: perPeriod,
      period: BigInt(period),
      startTime: BigInt(startTime),
      endTime: BigInt(endTime),
      quorum: 1,
      encrypted: ENCRYPTED,
    },
  }
}

export function fired(n: number, time: number): ChainEvent {
  const args = { orderId: ORDER, n: BigInt(n), intentId: BigInt(n + 1) }
  return { type: 'TrancheFired', point: at(time), args }
}

export function closed(amount: bigint, reason: number, time: number): ChainEvent {
  const args = { orderId: ORDER, owner: OWNER, amount, reason }
  return { type: 'OrderClosed', point: at(time), args }
}

/** What became of a tranche. */
export function ended(
  type: 'IntentSettled' | 'IntentCancelled' | 'IntentRefunded',
  n: number,
  time: number,
  amount = PER_PERIOD,
): ChainEvent {
  const args = { intentId: BigInt(n + 1), user: OWNER, amount }
  return { type, address: TOKEN, point: at(time), args } as unknown as ChainEvent
}

export function stateOf(...events: ChainEvent[]): OrderState {
  const state = events.reduce<OrderState | null>(evolveOrderState, null)
  if (state === null) throw new Error('the order was never funded')
  return state
}

/** Given what the chain said, when the service looks (or the owner cancels) at a time: then what. */
export function given(...events: ChainEvent[]) {
  const state = stateOf(...events)
  const when = (type: 'advance' | 'cancel', time: number) => ({
    decides(...intentions: OrderAction[]) {
      const decided = decideOrderAction({ type }, state, time)
      if (JSON.stringify(decided, asText) !== JSON.stringify(intentions, asText)) {
        const reported = JSON.stringify(decided, asText)
        throw new Error(`decided ${reported}, not ${JSON.stringify(intentions, asText)}`)
      }
    },
    refuses(code: string) {
      const decided = decideOrderAction({ type }, state, time)
      if (decided !== code) throw new Error(`decided ${JSON.stringify(decided, asText)}`)
    },
  })
  return {
    state,
    whenLooking: (time: number) => when('advance', time),
    whenCancelled: (time: number) => when('cancel', time),
  }
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
