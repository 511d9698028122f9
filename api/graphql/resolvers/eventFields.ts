import type { BidRow } from '../../../src/projection/rowTypes.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { bidId, eventId } from '../objectIds.ts'
import type { BidNode, EventNode } from './intentNestedLists.ts'
import { intentOf } from './intentNode.ts'
import { chainFields, pairFields } from './solverFields.ts'
import { decimals } from './tokenAmountFields.ts'

/** Fields of `Event` that aren't columns of its row. */
export const eventFields = {
  ...chainFields,
  id: (event: EventNode) => eventId(event, event.view?.moment),
  intent: intentOf,
}

/** Fields of `Bid` that aren't columns of its row. */
export const bidFields = {
  id: (bid: BidNode) => bidId(bid, bid.view?.moment),
  sourceChain: pairFields.sourceChain,
  intent: intentOf,
  solverAddress: ({ solver }: BidRow) => solver,
  solver: ({ solver }: BidRow, _: unknown, { loaders }: GraphqlContext) =>
    loaders.solver.load(solver),
}

/** A bid's token is its intent's tokenB. */
export const bidDecimals = decimals(['amountB'], async (bid: BidRow, { loaders }) => {
  const stored = await loaders.intent.load(bid)
  return stored && { chainId: stored.source.destChainId, token: stored.source.tokenB }
})
