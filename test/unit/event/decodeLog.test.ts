import fc from 'fast-check'
import { decodeEventLog } from 'viem'
import { describe, expect, test } from 'vitest'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { decodeLog, EVENT_SELECTORS, LogLayoutError } from '../../../src/event/decodeLog.ts'
import { argsFromJson, argsToJson } from '../../../src/event/eventArgs.ts'
import { EVENT_ABI, EVENT_FIELDS, EVENT_TYPES } from '../../../src/event/eventFields.ts'
import { toBridgeEvent } from '../../../src/event/toBridgeEvent.ts'
import { fromEventRow, toEventRow } from '../../../src/projection/eventRow.ts'
import { anyEvent } from './anyEvent.ts'
import { encodeLog } from './encodeLog.ts'

const RUNS = { seed: 11, numRuns: 1_000 }

describe('events and logs', () => {
  test('every event that is folded is in the contract’s ABI, with its arguments in order', () => {
    expect(Object.keys(EVENT_FIELDS).sort()).toEqual(EVENT_TYPES.toSorted())
    expect(EVENT_FIELDS.IntentSolved).toEqual([
      { name: 'chain2IntentId', kind: 'bigint' },
      { name: 'sourceChainId', kind: 'bigint' },
      { name: 'intentId', kind: 'bigint' },
      { name: 'paramsHash', kind: 'hex' },
      { name: 'solver', kind: 'hex' },
      { name: 'tokenB', kind: 'hex' },
      { name: 'amountB', kind: 'bigint' },
    ])
    expect(EVENT_FIELDS.IntentAnchored[1]).toEqual({ name: 'feeBps', kind: 'number' })
    expect(EVENT_SELECTORS).toHaveLength(EVENT_TYPES.length)
  })

  test('the contract’s other events are those that move no money', () => {
    const others = bridgeIntentV2Abi.flatMap((item) =>
      item.type === 'event' && !EVENT_TYPES.some((type) => type === item.name) ? [item.name] : [],
    )
    expect(others.sort()).toEqual(['OwnershipTransferStarted', 'OwnershipTransferred'])
  })

  test('decoding gives back what was encoded', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(decodeLog(encodeLog(event), event.point)).toStrictEqual(event)
      }),
      RUNS,
    )
  })

  test('decoding says what viem says', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const log = encodeLog(event)
        const topics = log.topics as [Hex, ...Hex[]]
        const { args = {} } = decodeEventLog({ abi: EVENT_ABI, topics, data: log.data })
        const decoded = { ...event, args: args as Record<string, unknown> }
        expect(decodeLog(log, event.point)).toStrictEqual(toBridgeEvent(decoded))
      }),
      RUNS,
    )
  })

  test('letter case in a log makes no difference', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const { topics, data, address } = encodeLog(event)
        const shout = (hex: Hex): Hex => `0x${hex.slice(2).toUpperCase()}`
        const log = {
          address: shout(address),
          topics: [topics[0]!, ...topics.slice(1).map(shout)],
          data: shout(data),
        }
        expect(decodeLog(log, event.point)).toStrictEqual(event)
      }),
      { seed: 15, numRuns: 200 },
    )
  })

  test('a log of another event, or an anonymous one, is none of ours', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const log = encodeLog(event)
        const foreign: Hex = `0x${'12'.repeat(32)}`
        expect(decodeLog({ ...log, topics: [foreign] }, event.point)).toBeNull()
        expect(decodeLog({ ...log, topics: [] }, event.point)).toBeNull()
      }),
      { seed: 12, numRuns: 20 },
    )
  })

  test('a log of ours that is cut short is refused, not guessed at', () => {
    fc.assert(
      fc.property(
        anyEvent.filter((event) => encodeLog(event).data !== '0x'),
        (event) => {
          const log = encodeLog(event)
          const data = log.data.slice(0, -64) as Hex
          expect(() => decodeLog({ ...log, data }, event.point)).toThrow(LogLayoutError)
          const topics = log.topics.slice(0, -1)
          if (topics.length > 0) {
            expect(() => decodeLog({ ...log, topics }, event.point)).toThrow(LogLayoutError)
          }
        },
      ),
      { seed: 13, numRuns: 200 },
    )
  })

  test('addresses are held in lower case, whoever decoded them', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const shouted = Object.entries(event.args).map(([name, value]) => [
          name,
          typeof value === 'string' ? `0x${value.slice(2).toUpperCase()}` : value,
        ])
        const decoded = toBridgeEvent({
          ...event,
          address: `0x${event.address.slice(2).toUpperCase()}`,
          args: { ...Object.fromEntries(shouted), 0: 'positional' },
        })
        expect(decoded).toStrictEqual(event)
      }),
      { seed: 14, numRuns: 200 },
    )
  })
})

describe('events and their rows', () => {
  test('arguments survive JSON, integers as decimal strings', () => {
    fc.assert(
      fc.property(anyEvent, ({ type, args }) => {
        const json = argsToJson(type, args)
        for (const text of Object.values(json)) expect(text).toMatch(/^(\d+|0x[0-9a-f]*)$/)
        expect(argsFromJson(type, JSON.parse(JSON.stringify(json)))).toStrictEqual(args)
      }),
      RUNS,
    )
  })

  test('an event can be folded again from its row', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const row = structuredClone(toEventRow(event))
        expect(fromEventRow(row, event.address)).toStrictEqual(event)
      }),
      RUNS,
    )
  })

  test('a row that lacks an argument is refused', () => {
    expect(() => argsFromJson('TokenDelisted', {})).toThrow('TokenDelisted.token is missing')
  })
})
