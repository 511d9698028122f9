import type { AsOf } from '../../services/store/asOf/resolveAsOf.ts'
import type { GraphqlContext } from './graphqlContext.ts'
import { createLoaders, type Loaders } from './loaders/createLoaders.ts'
import { momentOf } from './objectIds.ts'

/** A past moment, and loaders of the state at it. */
export type AsOfView = {
  asOf: AsOf
  loaders: Loaders
  /** Suffix of the ids of objects at that moment. */
  moment: string
}

/** An argument `asOf`: the input type `AsOfBlock`, its scalars parsed. */
export type AsOfBlocks = readonly { chainId: number; block: number }[]

/** An operation's views, so that each moment is resolved, and charged for, once. */
export type AsOfViews = Map<string, Promise<AsOfView>>

/** The view that an argument `asOf` asks for; null without one. Throws AsOfError. */
export async function resolveAsOfArgument(
  blocks: AsOfBlocks | null | undefined,
  { asOf, chains, db, views }: GraphqlContext,
): Promise<AsOfView | null> {
  if (blocks == null) return null
  const requested = blocks.map(({ chainId, block }) => ({ chainId, blockNumber: block }))
  const key = JSON.stringify(requested)
  let view = views.get(key)
  if (!view) {
    view = asOf.at(chains, requested).then((resolved) => ({
      asOf: resolved,
      loaders: createLoaders(db, true, resolved),
      moment: momentOf(blocks),
    }))
    views.set(key, view)
  }
  return view
}
