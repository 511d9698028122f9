import type { Plugin } from 'graphql-yoga'
import type { GraphqlContext } from '../context.ts'
import { createLoaders } from '../loaders/createLoaders.ts'

/** A subscription's many answers share one context: what was loaded for one is old for the next. */
export function useFreshLoaders(): Plugin<GraphqlContext> {
  return {
    onSubscribe: ({ args }) => {
      const context = args.contextValue as GraphqlContext
      context.loaders = createLoaders(context.db, false)
    },
  }
}
