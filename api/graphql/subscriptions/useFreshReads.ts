import type { Plugin } from 'graphql-yoga'
import type { ChainStateCache } from '../../../services/store/chains/chainStateCache.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { createLoaders } from '../loaders/createLoaders.ts'

/**
 * Keeps a subscription's context current. All its events share one context, but each must be resolved from rows
 * and chain heads of its own time.
 */
export function useFreshReads(chains: ChainStateCache): Plugin<GraphqlContext> {
  return {
    onSubscribe: ({ args }) => {
      const context = args.contextValue as GraphqlContext
      let latest = context.chains
      Object.defineProperty(context, 'chains', {
        get: () => {
          latest = chains.known() ?? latest
          return latest
        },
      })
      context.loaders = createLoaders(context.db, false)
    },
  }
}
