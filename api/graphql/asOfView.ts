import type { AsOf } from '../../services/store/asOf/resolveAsOf.ts'
import type { GraphqlContext } from './context.ts'
import { createLoaders, type Loaders } from './loaders/createLoaders.ts'
import { momentOf } from './nodeId.ts'

/** An earlier moment, and reads of the state at it. */
export type AsOfView = {
  asOf: AsOf
  loaders: Loaders
  /** What ids of that moment end in. */
  moment: string
}

/** The input type `AsOfBlock`, its scalars parsed. */
export type AsOfBlocks = readonly { chainId: number; block: number }[]

/** The moments that an operation requests: each is looked up, and charged for, once. */
export type AsOfViews = Map<string, Promise<AsOfView>>

/** The moment that an argument `asOf` names; null without one. Throws AsOfError. */
export async function asOfView(
  blocks: AsOfBlocks | null | undefined,
  { asOf, chains, db, views }: GraphqlContext,
): Promise<AsOfView | null> {
  if (blocks == null) return null
  const asked = blocks.map(({ chainId, block }) => ({ chainId, blockNumber: block }))
  const name = JSON.stringify(asked)
  let view = views.get(name)
  if (!view) {
    view = asOf.at(chains, asked).then((found) => {
      return { asOf: found, loaders: createLoaders(db, true, found), moment: momentOf(blocks) }
    })
    views.set(name, view)
  }
  return view
}
