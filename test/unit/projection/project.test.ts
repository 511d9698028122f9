import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findLockedStake } from '../../../core/intent/findLockedStake.ts'
import { calculateOrderAmounts } from '../../../core/order/calculateOrderAmounts.ts'
import { findNextTrancheTime } from '../../../core/order/findNextTrancheTime.ts'
import { InMemoryRowStore } from '../../../core/rows/inMemoryRowStore.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEventType } from '../../../src/event/chainEvent.ts'
import { EVENT_TYPES, VAULT_EVENTS } from '../../../src/event/eventFields.ts'
import { bucketOf, type CompletionTimes } from '../../../src/projection/completionTimes.ts'
import { projectAsync } from '../../../src/projection/projectAsync.ts'
import { keyOf, keyText } from '../../../src/projection/rowKeys.ts'
import type { EscrowRow } from '../../../src/projection/rowTypes.ts'
import type { ModelChain } from './model/chainModel.ts'
import { foldRows } from './model/foldRows.ts'
import { anyWorld, type World } from './model/randomHistory.ts'
import { dueAt } from './model/vaultModel.ts'

const RUNS = { seed: 20_251, numRuns: 200 }

describe('project over random legal histories', () => {
  test('escrow equals what the bridge really holds, token by token', () => {
    forAllChains((chain) => {
      const escrow = foldRows(chain.events).rows('escrow')
      const owed = new Map(escrow.map((row) => [row.token, total(row)]))
      for (const [token, balance] of chain.balances) expect(owed.get(token)).toBe(balance)
      expect(owed.size).toBe(chain.balances.size)
    })
  })

  test('no part of the escrow is ever negative, after any event', () => {
    forAllChains((chain) => {
      const store = new InMemoryRowStore()
      for (const event of chain.events) {
        for (const { table, row } of store.fold(event)) {
          if (table !== 'escrow') continue
          // A credit is written after the event that takes the money out of escrow, never before it.
          const { open, stakes, credits, deliveryCredits, fees } = row
          const parts = [open, stakes, credits, deliveryCredits, fees]
          expect(parts.every((part) => part >= 0n)).toBe(true)
        }
      }
    })
  })

  test('sums over all intents equal the running totals', () => {
    forAllChains((chain) => {
      const store = foldRows(chain.events)
      const intents = store.rows('intent')
      const days = store.rows('pairDay')
      const in_ = (...phases: string[]) => intents.filter(({ phase }) => phases.includes(phase))
      const sum = (values: bigint[]) => values.reduce((so, value) => so + value, 0n)
      const count = (values: number[]) => values.reduce((so, value) => so + value, 0)

      expect(count(days.map((day) => day.created))).toBe(intents.length)
      expect(count(days.map((day) => day.bids))).toBe(store.rows('bid').length)
      expect(count(days.map((day) => day.completed))).toBe(in_('completed').length)
      expect(count(days.map((day) => day.cancelled))).toBe(in_('cancelled').length)
      expect(count(days.map((day) => day.expired))).toBe(in_('expired').length)
      expect(count(days.map((day) => day.failed))).toBe(in_('failed').length)
      expect(sum(days.map((day) => day.fees))).toBe(sum(intents.map(({ fee }) => fee ?? 0n)))

      const open = in_('open', 'bidding', 'deposited')
      const escrow = store.rows('escrow')
      expect(sum(escrow.map((row) => row.open))).toBe(
        sum(open.map(({ amountA, reward }) => amountA + reward)),
      )
      const stakes = store.rows('solverStake')
      expect(sum(escrow.map((row) => row.stakes))).toBe(sum(stakes.map((row) => row.staked)))
      expect(sum(stakes.map((row) => row.locked))).toBe(
        sum(open.map((intent) => findLockedStake(intent)?.amount ?? 0n)),
      )
      const forfeits = store.rows('forfeit')
      const volumes = store.rows('solverVolume')
      expect(sum(volumes.map((row) => row.forfeited))).toBe(sum(forfeits.map((row) => row.amount)))

      const records = store.rows('solverRecord')
      const won = intents.filter(({ solver }) => solver !== null)
      expect(count(records.map((row) => row.bids))).toBe(store.rows('bid').length)
      expect(count(records.map((row) => row.wins))).toBe(won.length)
      expect(count(records.map((row) => row.settlements))).toBe(in_('completed').length)
      const because = (reason: string) => forfeits.filter((row) => row.reason === reason).length
      expect(count(records.map((row) => row.failures))).toBe(because('not_delivered'))
      expect(count(records.map((row) => row.noShows))).toBe(because('no_deposit'))
      expect(count(records.map((row) => row.deliveries))).toBe(store.rows('delivery').length)
    })
  })

  test('hours, days and solvers’ days add up to the same; senders and times are those of the intents', () => {
    forAllChains((chain) => {
      const store = foldRows(chain.events)
      const intents = store.rows('intent')
      const [days, hours, solvers] = [
        store.rows('pairDay'),
        store.rows('pairHour'),
        store.rows('solverDay'),
      ]
      const counts = ['created', 'bids', 'completed', 'cancelled', 'expired', 'failed'] as const
      const sums = [
        'createdVolumeA',
        'completedVolumeA',
        'completedVolumeB',
        'fees',
        'rewards',
      ] as const
      for (const name of counts) expect(totalOf(hours, name)).toBe(totalOf(days, name))
      for (const name of sums) expect(totalOf(hours, name)).toBe(totalOf(days, name))

      for (const [table, rows, seconds] of [
        ['day', days, 86_400],
        ['hour', hours, 3_600],
      ] as const) {
        const ofPair = new Set<string>()
        const ofChain = new Set<string>()
        for (const { sender, createdAt, sourceChainId, destChainId, tokenA, tokenB } of intents) {
          const of = [Math.floor(createdAt / seconds), sourceChainId, sender]
          ofChain.add(String(of))
          ofPair.add(String([of, destChainId, tokenA, tokenB]))
        }
        expect([table, totalOf(rows, 'senders')]).toEqual([table, BigInt(ofPair.size)])
        expect([table, totalOf(rows, 'sendersOfChain')]).toEqual([table, BigInt(ofChain.size)])
      }
      expect(totalOf(store.rows('senderDay'), 'created')).toBe(BigInt(intents.length))
      expect(totalOf(store.rows('pairSenderDay'), 'created')).toBe(BigInt(intents.length))

      const settled = intents.filter(({ settledAt }) => settledAt !== null)
      const times = timesOf(settled.map((one) => (one.settledAt as number) - one.createdAt))
      for (const rows of [days, hours, solvers]) expect(addedTimes(rows)).toEqual(times)
      const records = store.rows('solverRecord')
      const acts = ['bids', 'wins', 'settlements', 'failures', 'noShows', 'deliveries'] as const
      for (const name of acts) expect(totalOf(solvers, name)).toBe(totalOf(records, name))
      const volumes = store.rows('solverVolume')
      for (const name of ['delivered', 'paidOut', 'forfeited'] as const)
        expect(totalOf(solvers, name)).toBe(totalOf(volumes, name))
      expect(totalOf(solvers, 'settledVolume')).toBe(totalOf(days, 'completedVolumeA'))
      expect(totalOf(solvers, 'fees')).toBe(totalOf(days, 'fees'))
    })
  })

  test('stakes and locks are the contract’s, and no lock exceeds its stake at any time', () => {
    forAllChains((chain) => {
      const store = new InMemoryRowStore()
      for (const event of chain.events) {
        for (const { table, row } of store.fold(event)) {
          if (table !== 'solverStake') continue
          expect(row.locked >= 0n && row.locked <= row.staked).toBe(true)
        }
      }
      for (const { solver, token, total, locked } of chain.stakes.values()) {
        const row = store.find('solverStake', { chainId: chain.chainId, solver, token })
        expect([row?.staked ?? 0n, row?.locked ?? 0n]).toEqual([total, locked])
      }
      const forfeits = Map.groupBy(store.rows('forfeit'), ({ token }) => token)
      const lost = [...forfeits].map(([token, rows]) => [
        token,
        rows.reduce((sum, { amount }) => sum + amount, 0n),
      ])
      expect(new Map(lost as never)).toEqual(chain.forfeited)
    })
  })

  test('an intent’s terms, blobs and times are what the contract stores', () => {
    forAllChains((chain) => {
      const store = foldRows(chain.events)
      for (const model of chain.intents) {
        const row = store.find('intent', { sourceChainId: chain.chainId, intentId: model.id })
        const { paramsHash, blobsHash, firmAt, quorum, feeBps, asked, revealed } = model
        expect(row).toMatchObject({ paramsHash, blobsHash, firmAt, quorum, feeBps })
        expect([row?.askedAt !== null, row?.revealedAt !== null]).toEqual([asked, revealed])
      }
    })
  })

  test('what the vault owes equals what it really holds, and an order’s amounts add up after any event', () => {
    forAllChains((chain) => {
      const store = new InMemoryRowStore()
      for (const event of chain.events) {
        for (const { table, row } of store.fold(event)) {
          if (table !== 'scheduledOrder') continue
          const { spent, refunded, left } = calculateOrderAmounts(row)
          expect(spent >= 0n && refunded >= 0n && left >= 0n).toBe(true)
          expect(spent + refunded + left).toBe(row.totalAmount)
        }
      }
      const owed = store.rows('vaultEscrow').map((row) => [row.token, row.orders + row.credits])
      expect(new Map(owed as [Hex, bigint][])).toEqual(chain.vaultBalances)
    })
  })

  test('an order’s row is what the vault stores, its tranches are its intents', () => {
    let fired = 0
    forAllChains((chain) => {
      const store = foldRows(chain.events)
      for (const model of chain.orders) {
        const { id: orderId } = model
        const row = store.find('scheduledOrder', { chainId: chain.chainId, orderId })!
        const { firstAt, endTime, left: remaining, fired: tranchesFired } = model
        expect(row).toMatchObject({ firstAt, endTime, remaining, tranchesFired })
        expect(row.closedAt !== null).toBe(model.closed)
        const next = findNextTrancheTime(row)
        const isOver = model.closed || model.left < model.amountPerPeriod
        expect(next).toBe(isOver || dueAt(model) >= endTime ? null : dueAt(model))
        const intents = model.intents.map((intentId, n) => {
          const key = { chainId: chain.chainId, orderId, trancheIndex: n }
          expect(store.find('tranche', key)).toMatchObject({ intentId })
          return store.find('intent', { sourceChainId: chain.chainId, intentId })!
        })
        for (const [n, intent] of intents.entries()) {
          expect(intent).toMatchObject({ orderId, trancheIndex: n, sender: model.owner })
          expect(intent.amountA + intent.reward).toBe(model.amountPerPeriod)
        }
        const ended = (...phases: string[]) => intents.filter((one) => phases.includes(one.phase))
        expect(row.tranchesCompleted).toBe(ended('completed').length)
        expect(row.tranchesRefunded).toBe(ended('cancelled', 'expired', 'failed').length)
        fired += intents.length
      }
      const ofOrders = store.rows('intent').filter(({ orderId }) => orderId !== null)
      expect(ofOrders).toHaveLength(store.rows('tranche').length)
    })
    expect(fired).toBeGreaterThan(100)
  })

  test('what a token refused is on its delivery, and its event is about the delivery’s intent', () => {
    forAllChains((chain) => {
      const store = foldRows(chain.events)
      for (const event of chain.events) {
        if (event.type !== 'DeliveryCredited') continue
        const { chain2IntentId, amount } = event.args
        const key = { destChainId: chain.chainId, chain2IntentId }
        const delivery = store.find('delivery', key)
        expect(delivery?.credited).toBe(amount)
        const { chainId, blockNumber, logIndex } = event.point
        expect(store.find('event', { chainId, blockNumber, logIndex })).toMatchObject({
          sourceChainId: delivery?.sourceChainId,
          intentId: delivery?.intentId,
        })
      }
    })
  })

  test('an announced change ends by being enacted or withdrawn', () => {
    let [pending, enacted, withdrawn] = [0, 0, 0]
    forAllChains((chain) => {
      for (const row of foldRows(chain.events).rows('bridgeAnnouncement')) {
        expect(row.enactedAt === null || row.withdrawnAt === null).toBe(true)
        expect(chain.announced.has(row.changeId)).toBe(!(row.enactedAt ?? row.withdrawnAt))
        if (row.enactedAt !== null) enacted += 1
        else if (row.withdrawnAt !== null) withdrawn += 1
        else pending += 1
      }
    })
    expect(Math.min(pending, enacted, withdrawn)).toBeGreaterThan(0)
  })

  test('every settlement splits amountA and reward to the unit', () => {
    forAllChains((chain) => {
      for (const intent of foldRows(chain.events).rows('intent')) {
        if (intent.phase !== 'completed') continue
        const { payout, fee, amountA, reward } = intent
        expect(payout! + fee!).toBe(amountA + reward)
      }
    })
  })

  test('an event writes rows of its own chain only, its own row first, none twice', () => {
    forAllChains((chain) => {
      const store = new InMemoryRowStore()
      for (const event of chain.events) {
        const changes = store.fold(event)
        expect(changes[0]).toMatchObject({ table: 'event', before: null })
        for (const { table, row } of changes) {
          const owner = Object.values(keyOf(table, row as never))[0]
          expect([table, owner]).toEqual([table, chain.chainId])
        }
        const places = changes.map(({ table, row }) => `${table} ${keyText(table, row as never)}`)
        expect(new Set(places).size).toBe(changes.length)
      }
    })
  })

  test('the two chains may be folded into one store in any order', () => {
    forAllWorlds(({ a, b }) => {
      const one = foldRows([...a.events, ...b.events])
      const other = foldRows([...b.events, ...a.events])
      for (const table of [
        'intent',
        'delivery',
        'escrow',
        'solverRecord',
        'solverStake',
        'forfeit',
        'pairDay',
        'pairHour',
        'solverDay',
        'senderDay',
        'pairSenderDay',
        'scheduledOrder',
        'tranche',
        'vaultEscrow',
      ] as const) {
        expect(new Set(one.rows(table))).toEqual(new Set(other.rows(table)))
      }
    })
  })

  test('rows that have to be waited for give the same changes, and are read once', async () => {
    const [world] = fc.sample(anyWorld(200), { seed: 7, numRuns: 1 }) as [World]
    const store = new InMemoryRowStore()
    for (const event of world.a.events) {
      const asked: string[] = []
      const awaited = await projectAsync(event, async (table, key) => {
        asked.push(`${table} ${keyText(table, key)}`)
        return store.find(table, key)
      })
      expect(store.fold(event)).toEqual(awaited)
      expect(asked).toEqual([...new Set(asked)])
    }
  })

  test('the random histories contain every event and every phase', () => {
    const types = new Set<ChainEventType>()
    const reasons = new Set<string | null>()
    const phases = new Set<string>()
    forAllChains((chain) => {
      for (const event of chain.events) types.add(event.type)
      for (const intent of foldRows(chain.events).rows('intent')) phases.add(intent.phase)
      for (const row of foldRows(chain.events).rows('scheduledOrder')) reasons.add(row.closeReason)
    })
    const all = [...EVENT_TYPES, ...VAULT_EVENTS.map(({ type }) => type)]
    expect([...types].sort()).toEqual(all.sort())
    expect(reasons).toEqual(new Set([null, 'filled', 'end_time', 'user_cancel']))
    expect(phases.size).toBe(7)
  })
})

function total({ open, stakes, credits, deliveryCredits, fees }: EscrowRow): bigint {
  return open + stakes + credits + deliveryCredits + fees
}

function forAllWorlds(check: (world: World) => void): void {
  fc.assert(fc.property(anyWorld(120), check), RUNS)
}

function forAllChains(check: (chain: ModelChain) => void): void {
  forAllWorlds(({ a, b }) => {
    check(a)
    check(b)
  })
}

/** A column's sum over rows. */
function totalOf<Name extends string>(
  rows: readonly { [Column in Name]: number | bigint }[],
  name: Name,
): bigint {
  return rows.reduce((sum, row) => sum + BigInt(row[name]), 0n)
}

function timesOf(seconds: readonly number[]): Record<string, number> {
  const times: Record<string, number> = {}
  for (const one of seconds) times[bucketOf(one)] = (times[bucketOf(one)] ?? 0) + 1
  return times
}

function addedTimes(rows: readonly { completionTimes: CompletionTimes }[]): Record<string, number> {
  const all: Record<string, number> = {}
  for (const { completionTimes } of rows)
    for (const [bucket, count] of Object.entries(completionTimes))
      all[bucket] = (all[bucket] ?? 0) + count
  return all
}
