import type { Filter } from '../../../services/store/database/filterSql.ts'
import type { BidFilter } from '../../../services/store/solvers/listBids.ts'
import type { DeliveryFilter } from '../../../services/store/solvers/listDeliveries.ts'
import type { Where } from './disjointFilters.ts'
import { plainFilters } from './plainFilters.ts'
import { type Comparison, rangeOf } from './rangeOf.ts'

type Nullable<Fields> = { [Name in keyof Fields]?: Fields[Name] | null }

/** The input types `BidFilter` and `DeliveryFilter`, their scalars parsed. */
export type BidWhere = Where<
  Nullable<Omit<BidFilter, 'amountB' | 'bidAt'>> & {
    amountB?: Comparison<bigint> | null
    bidAt?: Comparison<number> | null
  }
>
export type DeliveryWhere = Where<
  Nullable<Omit<DeliveryFilter, 'amountB' | 'solvedAt'>> & {
    amountB?: Comparison<bigint> | null
    solvedAt?: Comparison<number> | null
  }
>

export function bidFilters(where: BidWhere | null | undefined): Filter<BidFilter>[] {
  return plainFilters(where, ({ amountB, bidAt, ...own }) => ({
    ...own,
    amountB: rangeOf(amountB),
    bidAt: rangeOf(bidAt),
  }))
}

export function deliveryFilters(where: DeliveryWhere | null | undefined): Filter<DeliveryFilter>[] {
  return plainFilters(where, ({ amountB, solvedAt, ...own }) => ({
    ...own,
    amountB: rangeOf(amountB),
    solvedAt: rangeOf(solvedAt),
  }))
}
