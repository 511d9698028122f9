import fc from 'fast-check'
import { REFUND_STATUSES } from '../../../core/intent/refundSql.ts'
import { deriveRefund } from '../../../core/intent/refundStatus.ts'
import { deriveStatus, STATUSES, type Status } from '../../../core/intent/status.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { TERMS } from '../../unit/projection/model/chainModel.ts'
import type { Moment, ReplayedPast } from './replayAsOf.ts'

/** A list of intents that somebody may ask for. */
type List = {
  filter: IntentFilter
  orderBy: 'createdAt' | 'endTime' | 'amountA' | 'reward'
  direction: 'asc' | 'desc'
}

/** A list that some intent may well be in. */
export function anyList({ intents }: ReplayedPast): fc.Arbitrary<List> {
  const one = fc.constantFrom(...intents)
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
  return fc.record({
    filter: fc.record({
      statuses: maybe(fc.subarray([...STATUSES], { minLength: 1, maxLength: 3 })),
      sender: maybe(one.map(({ source }) => source.sender)),
      solver: maybe(one.map(({ source }) => source.solver ?? source.sender)),
      sourceChainId: maybe(one.map(({ source }) => source.sourceChainId)),
      updatedAt: maybe(one.map(({ source }) => ({ from: source.updatedAt }))),
      createdAt: maybe(one.map(({ source }) => ({ to: source.createdAt }))),
      settledAt: rarely(
        one.map(({ source }) => ({ from: source.settledAt ?? 0 })),
        12,
      ),
      fee: rarely(
        one.map(({ source }) => ({ to: source.fee ?? 0n })),
        12,
      ),
    }),
    orderBy: fc.constantFrom('createdAt', 'endTime', 'amountA', 'reward'),
    direction: fc.constantFrom('asc', 'desc'),
  })
}

/** Lists by refund, of which there are too few for chance. */
export const REFUND_LISTS = REFUND_STATUSES.map(
  (word): List => ({ filter: { refunds: [word] }, orderBy: 'createdAt', direction: 'desc' }),
)

/** A GraphQL filter with `or` and `not`, and whether an intent of a replay passes it. */
type NestedFilter = {
  where: object
  passes(stored: StoredIntent, past: ReplayedPast): boolean
}

type Plain = {
  statuses: Status[] | undefined
  solver: StoredIntent['source']['solver'] | undefined
  sender: string | undefined
  settledFrom: number | undefined
  least: bigint | undefined
}

/** Filters of any shape, nested. */
export function anyNestedFilter(
  intents: readonly StoredIntent[],
  depth = 2,
): fc.Arbitrary<NestedFilter> {
  const one = fc.constantFrom(...intents).map(({ source }) => source)
  const plain = fc
    .record<Plain>({
      statuses: rarely(fc.subarray([...STATUSES], { minLength: 1, maxLength: 4 }), 3),
      solver: rarely(
        one.map(({ solver }) => solver),
        3,
      ),
      sender: rarely(
        one.map(({ sender }) => sender),
        3,
      ),
      settledFrom: rarely(
        one.map(({ settledAt }) => settledAt ?? 0),
        3,
      ),
      least: rarely(
        one.map(({ amountA }) => amountA),
        3,
      ),
    })
    .map(plainFilter)
  if (depth === 0) return plain
  const inner = anyNestedFilter(intents, depth - 1)
  return fc
    .record({
      own: plain,
      or: fc.option(fc.array(inner, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 2 }),
      not: fc.option(inner, { nil: undefined, freq: 2 }),
    })
    .map(({ own, or, not }) => ({
      where: {
        ...own.where,
        ...(or && { or: or.map(({ where }) => where) }),
        ...(not && { not: not.where }),
      },
      passes: (stored, past) =>
        own.passes(stored, past) &&
        (!or || or.some((each) => each.passes(stored, past))) &&
        !not?.passes(stored, past),
    }))
}

/** Absent so many times as often as it is there. */
function rarely<Value>(
  value: fc.Arbitrary<Value>,
  weight: number,
): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
}

function plainFilter({ statuses, solver, sender, settledFrom, least }: Plain): NestedFilter {
  return {
    where: {
      ...(statuses && { status: { in: statuses } }),
      ...(solver && { solver: { eq: solver } }),
      ...(sender && { sender: { eq: sender } }),
      ...(settledFrom !== undefined && { settledAt: { gte: settledFrom } }),
      ...(least !== undefined && { amountA: { gte: String(least) } }),
    },
    passes: (stored, past) => {
      const { source } = stored
      return (
        (!statuses || statuses.includes(statusOf(stored, past))) &&
        (!solver || source.solver === solver) &&
        (!sender || source.sender === sender) &&
        (settledFrom === undefined || (source.settledAt ?? -1) >= settledFrom) &&
        (least === undefined || source.amountA >= least)
      )
    },
  }
}

/** The intents of such a list, in its order, by a replay. */
export function replayList(
  past: ReplayedPast,
  { filter, orderBy, direction }: List,
): StoredIntent[] {
  const { statuses, refunds, sender, solver, sourceChainId, ...ranges } = filter
  const { updatedAt, createdAt, settledAt, fee } = ranges
  const way = direction === 'asc' ? 1 : -1
  return past.intents
    .filter((stored) => {
      const { source } = stored
      return (
        (!statuses || statuses.includes(statusOf(stored, past))) &&
        (!refunds || refunds.some((word) => refundOf(stored, past) === word)) &&
        (!sender || source.sender === sender) &&
        (!solver || source.solver === solver) &&
        (!sourceChainId || source.sourceChainId === sourceChainId) &&
        source.updatedAt >= (updatedAt?.from ?? 0) &&
        source.createdAt <= (createdAt?.to ?? Number.POSITIVE_INFINITY) &&
        (!settledAt || (source.settledAt !== null && source.settledAt >= settledAt.from!)) &&
        (!fee || (source.fee !== null && source.fee <= fee.to!))
      )
    })
    .sort(({ source: a }, { source: b }) => {
      if (a[orderBy] !== b[orderBy]) return a[orderBy] < b[orderBy] ? -way : way
      if (a.intentId !== b.intentId) return a.intentId < b.intentId ? -way : way
      return way * (a.sourceChainId - b.sourceChainId)
    })
}

/** The list as a REST query. */
export function toRestQuery({ filter, orderBy, direction }: List, moment: Moment): string {
  const { statuses, refunds, sender, solver, sourceChainId, ...ranges } = filter
  const { updatedAt, createdAt, settledAt, fee } = ranges
  const given = {
    status: statuses?.join(),
    refundStatus: refunds?.join(),
    sender,
    solver,
    sourceChainId: sourceChainId?.toString(),
    updatedAfter: updatedAt?.from?.toString(),
    createdBefore: createdAt?.to?.toString(),
    settledAfter: settledAt?.from?.toString(),
    maxFee: fee?.to?.toString(),
    orderBy,
    direction,
    asOfBlock: toRestMoment(moment),
    limit: '3',
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return new URLSearchParams(entries as [string, string][]).toString()
}

/** A moment as REST takes it. */
export function toRestMoment(moment: Moment): string {
  return [...moment].map(([name, block]) => `${name}:${block}`).join(',')
}

/** A moment as GraphQL takes it. */
export function toGraphqlMoment(moment: Moment) {
  return [...moment].map(([chainId, block]) => ({ chainId, block }))
}

export function statusOf(stored: StoredIntent, { heads }: ReplayedPast): Status {
  return deriveStatus(stored, heads).status
}

function refundOf(stored: StoredIntent, { heads }: ReplayedPast): string | undefined {
  return deriveRefund(stored, heads, TERMS)?.status
}
