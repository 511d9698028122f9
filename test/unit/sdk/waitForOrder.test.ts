import { expect, test } from 'vitest'
import {
  RelayerError,
  type ScheduledOrder,
  type WaitForOrderOptions,
  waitForOrder,
} from '../../../sdk/index.ts'

const ACTIVE = { id: 'twap-1', status: 'active', amountLeft: 5n } as ScheduledOrder
const STOPPED = { ...ACTIVE, status: 'completed' } as ScheduledOrder
const ENDED = { ...STOPPED, amountLeft: 0n } as ScheduledOrder
const AWAY = new RelayerError({ code: 'ENCLAVE_UNREACHABLE', message: 'away', status: 503 })
const GONE = new RelayerError({ code: 'ORDER_NOT_FOUND', message: 'no such order', status: 404 })

/** A service that gives these answers in turn, and then keeps giving the last one. */
function answering(...answers: (ScheduledOrder | RelayerError)[]) {
  let asked = 0
  return {
    order: async () => {
      const answer = answers[Math.min(asked++, answers.length - 1)]!
      if (answer instanceof RelayerError) throw answer
      return answer
    },
  }
}

function wait(answers: (ScheduledOrder | RelayerError)[], options: WaitForOrderOptions = {}) {
  return waitForOrder(answering(...answers), 'twap-1', { pollMs: 1, ...options })
}

test('waits through temporary failures until an order has stopped and nothing is left in the vault', async () => {
  const seen: string[] = []
  const onOrder = ({ status }: ScheduledOrder) => void seen.push(status)
  expect(await wait([ACTIVE, AWAY, STOPPED, AWAY, ENDED], { onOrder })).toBe(ENDED)
  expect(seen).toEqual(['active', 'completed', 'completed'])
})

test('waits for the requested state', async () => {
  expect(await wait([ACTIVE, STOPPED], { until: ({ status }) => status !== 'active' })).toBe(
    STOPPED,
  )
})

test('rejects at once for an unknown order', async () => {
  await expect(wait([ACTIVE, GONE])).rejects.toBe(GONE)
})

test('gives up after the timeout, with the specification’s code', async () => {
  const waiting = wait([ACTIVE], { timeoutMs: 20 })
  await expect(waiting).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', status: 0 })
})

test('ends with the signal’s reason', async () => {
  const stopping = new AbortController()
  const waiting = wait([ACTIVE], { pollMs: 60_000, signal: stopping.signal })
  setTimeout(() => stopping.abort(new Error('enough')), 5)
  await expect(waiting).rejects.toThrow('enough')
})

test('ends at once when the signal aborts during a request', async () => {
  const stopping = new AbortController()
  const order = async () => {
    stopping.abort(new Error('enough'))
    return ACTIVE
  }
  const options = { pollMs: 120_000, signal: stopping.signal }
  await expect(waitForOrder({ order }, 'twap-1', options)).rejects.toThrow('enough')
})
