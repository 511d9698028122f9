import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type {
  IntentPlace,
  IntentSortOrder,
} from '../../../services/store/intents/intentSortOrder.ts'
import {
  type IntentParts,
  type IntentText,
  listIntentsAsText,
  storedFromText,
} from '../../../services/store/intents/listIntentsAsText.ts'
import { resolveSymbols, toIntentFilters } from '../filters/toIntentFilters.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { createIntentNode, type IntentNode } from './intentNode.ts'
import { type IntentsArguments, presentIntents } from './intentQueries.ts'

/** An intent of a list as text. `node`, for fields that need more, requires a list that was read with facts. */
export type ListedIntent = { text: IntentText; node: () => IntentNode }

/** Resolves `Query.intents` for a plan and reads only the parts it needs. Doesn't support `asOf`. */
export async function resolveIntentsForQueryPlan(
  args: IntentsArguments,
  context: GraphqlContext,
  parts: IntentParts,
) {
  const { db, chains, tokens } = context
  const filter = toIntentFilters(await resolveSymbols(args.where, tokens))
  return presentIntents(filter, args, context, placeOfListed, async (page) => {
    const texts = await listIntentsAsText(db, page, parts)
    return texts.map((text) => listedIntent(text, chains))
  })
}

function listedIntent(text: IntentText, chains: ChainsNow): ListedIntent {
  let node: IntentNode | null = null
  return {
    text,
    node: () => {
      node ??= createIntentNode(storedFromText(text), { chains })
      return node
    },
  }
}

function placeOfListed({ text }: ListedIntent, { by }: IntentSortOrder): IntentPlace {
  return {
    value: BigInt(text[by] as string),
    intentId: BigInt(text.intentId as string),
    sourceChainId: Number(text.sourceChainId),
  }
}
