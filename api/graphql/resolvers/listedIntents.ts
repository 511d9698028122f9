import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { countUpTo } from '../../../services/store/intents/countIntents.ts'
import {
  type IntentOrder,
  type IntentPlace,
  intentPlace,
  placeCursor,
} from '../../../services/store/intents/intentOrder.ts'
import { settledOnly } from '../../../services/store/intents/listIntents.ts'
import {
  type IntentParts,
  type IntentText,
  listIntentsAsText,
  storedFromText,
} from '../../../services/store/intents/listIntentsAsText.ts'
import { connectionOf } from '../connection/connectionOf.ts'
import { countedOnce } from '../connection/countedOnce.ts'
import { requestedPage } from '../connection/requestedPage.ts'
import type { GraphqlContext } from '../context.ts'
import { intentFilters, withoutSymbols } from '../filters/intentFilters.ts'
import { type IntentNode, intentNode } from './intentNode.ts'
import { type IntentsArguments, orderOf } from './intentQueries.ts'

/** An intent of a list, as text, and as what its fields are resolved from: for lists with their facts. */
export type ListedIntent = { text: IntentText; node: () => IntentNode }

/** Resolves `Query.intents` for a plan, which reads what is asked for and no more. Not of the view. */
export async function listedIntents(
  args: IntentsArguments,
  { db, chains, tokens }: GraphqlContext,
  parts: IntentParts,
) {
  const { heads } = chains
  const order = orderOf(args.orderBy)
  const page = requestedPage(args, (cursor) => intentPlace(cursor, order))
  const filter = intentFilters(await withoutSymbols(args.where, tokens))
  const asked = { ...page, filter, order, limit: page.size + 1, heads }
  const texts = await listIntentsAsText(db, asked, parts)
  const nodes = texts.map((text) => listedIntent(text, chains))
  return {
    ...connectionOf(nodes, page, ({ text }) => placeCursor(placeOfText(text, order), order)),
    ...countedOnce(() => countUpTo(db, settledOnly(filter, order), heads)),
  }
}

function listedIntent(text: IntentText, chains: ChainsNow): ListedIntent {
  let node: IntentNode | null = null
  return {
    text,
    node: () => {
      node ??= intentNode(storedFromText(text), chains)
      return node
    },
  }
}

function placeOfText(text: IntentText, { by }: IntentOrder): IntentPlace {
  return {
    value: BigInt(text[by] as string),
    intentId: BigInt(text.intentId as string),
    sourceChainId: Number(text.sourceChainId),
  }
}
