import fc from 'fast-check'
import { decodeEventLog } from 'viem'
import { describe, expect, test } from 'vitest'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  decodeBridgeLog,
  EVENT_SELECTORS,
  LogLayoutError,
} from '../../../src/event/decodeBridgeLog.ts'
import { decodeContractLog } from '../../../src/event/decodeContractLog.ts'
import { decodeVaultLog, VAULT_SELECTORS } from '../../../src/event/decodeVaultLog.ts'
import { argsFromJson, argsToJson } from '../../../src/event/eventArgsJson.ts'
import {
  EVENT_ABI,
  EVENT_FIELDS,
  EVENT_TYPES,
  VAULT_EVENTS,
} from '../../../src/event/eventFields.ts'
import { toChainEvent } from '../../../src/event/toChainEvent.ts'
import { fromEventRow, toEventRow } from '../../../src/projection/eventRow.ts'
import { anyEvent, anyVaultEvent } from './anyEvent.ts'
import { encodeLog, encodeVaultLog } from './encodeLog.ts'

const RUNS = { seed: 11, numRuns: 1_000 }

describe('events and logs', () => {
  test('every folded event is in the contract’s ABI, with its arguments in order', () => {
    const ofVault = VAULT_EVENTS.map(({ type }) => type)
    expect(Object.keys(EVENT_FIELDS).sort()).toEqual([...EVENT_TYPES, ...ofVault].sort())
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

  test('the contract’s other events move no money', () => {
    const others = bridgeIntentV2Abi.flatMap((item) =>
      item.type === 'event' && !EVENT_TYPES.some((type) => type === item.name) ? [item.name] : [],
    )
    expect(others.sort()).toEqual(['OwnershipTransferStarted', 'OwnershipTransferred'])
  })

  test('decoding reverses encoding', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(decodeBridgeLog(encodeLog(event), event.point)).toStrictEqual(event)
      }),
      RUNS,
    )
  })

  test('decoding equals viem’s', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const log = encodeLog(event)
        const topics = log.topics as [Hex, ...Hex[]]
        const { args = {} } = decodeEventLog({ abi: EVENT_ABI, topics, data: log.data })
        const decoded = { ...event, args: args as Record<string, unknown> }
        expect(decodeBridgeLog(log, event.point)).toStrictEqual(toChainEvent(decoded))
      }),
      RUNS,
    )
  })

  test('a log’s letter case makes no difference', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const { topics, data, address } = encodeLog(event)
        const shout = (hex: Hex): Hex => `0x${hex.slice(2).toUpperCase()}`
        const log = {
          address: shout(address),
          topics: [topics[0]!, ...topics.slice(1).map(shout)],
          data: shout(data),
        }
        expect(decodeBridgeLog(log, event.point)).toStrictEqual(event)
      }),
      { seed: 15, numRuns: 200 },
    )
  })

  test('a log of another event, or an anonymous one, is ignored', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const log = encodeLog(event)
        const foreign: Hex = `0x${'12'.repeat(32)}`
        expect(decodeBridgeLog({ ...log, topics: [foreign] }, event.point)).toBeNull()
        expect(decodeBridgeLog({ ...log, topics: [] }, event.point)).toBeNull()
      }),
      { seed: 12, numRuns: 20 },
    )
  })

  test('a truncated known log is refused', () => {
    fc.assert(
      fc.property(
        anyEvent.filter((event) => encodeLog(event).data !== '0x'),
        (event) => {
          const log = encodeLog(event)
          const data = log.data.slice(0, -64) as Hex
          expect(() => decodeBridgeLog({ ...log, data }, event.point)).toThrow(LogLayoutError)
          const topics = log.topics.slice(0, -1)
          if (topics.length > 0) {
            expect(() => decodeBridgeLog({ ...log, topics }, event.point)).toThrow(LogLayoutError)
          }
        },
      ),
      { seed: 13, numRuns: 200 },
    )
  })

  test('addresses are lower case, by either decoder', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const shouted = Object.entries(event.args).map(([name, value]) => [
          name,
          typeof value === 'string' ? `0x${value.slice(2).toUpperCase()}` : value,
        ])
        const decoded = toChainEvent({
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

describe('a vault’s events and logs', () => {
  const VAULT: Hex = `0x${'a7'.repeat(20)}`
  const BRIDGE: Hex = `0x${'b0'.repeat(20)}`

  test('every event of the contract is folded except the one about its domain', () => {
    const named = orderVaultAbi.flatMap((item) => (item.type === 'event' ? [item.name] : []))
    const folded = VAULT_EVENTS.map(({ abi }) => abi.name)
    expect(named.filter((name) => !folded.includes(name))).toEqual(['EIP712DomainChanged'])
    expect(VAULT_SELECTORS).toHaveLength(VAULT_EVENTS.length)
  })

  test('decoding reverses encoding and equals viem’s', () => {
    fc.assert(
      fc.property(anyVaultEvent, (event) => {
        const log = encodeVaultLog(event, VAULT)
        expect(decodeVaultLog(log, event.point)).toStrictEqual(event)
        const topics = log.topics as [Hex, ...Hex[]]
        const { args } = decodeEventLog({ abi: orderVaultAbi, topics, data: log.data })
        const decoded = toChainEvent({ ...event, address: VAULT, args: args as never })
        expect(decoded).toStrictEqual(event)
      }),
      RUNS,
    )
  })

  test('a log’s contract decides its event: both contracts have credits with one selector', () => {
    const contracts = { bridge: BRIDGE, vault: VAULT.toUpperCase().replace('0X', '0x') as Hex }
    const credits = anyVaultEvent.filter(({ type }) => type.startsWith('VaultCredit'))
    fc.assert(
      fc.property(credits, (event) => {
        const log = encodeVaultLog(event, VAULT)
        expect(EVENT_SELECTORS).toContain(log.topics[0])
        expect(decodeContractLog(contracts, log, event.point)).toStrictEqual(event)
        const ofBridge = decodeContractLog(contracts, { ...log, address: BRIDGE }, event.point)
        const type = event.type.replace('Vault', '')
        expect(ofBridge).toStrictEqual({ ...event, type, address: BRIDGE })
        const withoutVault = decodeContractLog({ bridge: BRIDGE }, log, event.point)
        expect(withoutVault?.type).toBe(type)
      }),
      { seed: 16, numRuns: 50 },
    )
  })

  test('a truncated log is refused', () => {
    fc.assert(
      fc.property(anyVaultEvent, (event) => {
        const log = encodeVaultLog(event, VAULT)
        const data = log.data.slice(0, -64) as Hex
        expect(() => decodeVaultLog({ ...log, data }, event.point)).toThrow(LogLayoutError)
      }),
      { seed: 17, numRuns: 100 },
    )
  })

  test('an event can be folded again from its row, and a tranche’s row is its intent’s', () => {
    fc.assert(
      fc.property(anyVaultEvent, (event) => {
        const row = structuredClone(toEventRow(event))
        expect(fromEventRow(row, BRIDGE)).toStrictEqual(event)
        const about =
          event.type === 'TrancheFired'
            ? { sourceChainId: event.point.chainId, intentId: event.args.intentId }
            : { sourceChainId: null, intentId: null }
        expect(row).toMatchObject(about)
      }),
      { seed: 18, numRuns: 200 },
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

  test('a row without an argument is refused', () => {
    expect(() => argsFromJson('TokenDelisted', {})).toThrow('TokenDelisted.token is missing')
  })
})
