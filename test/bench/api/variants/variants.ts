import { fileURLToPath } from 'node:url'

/**
 * Cairn without one of its optimisations, or with a library in its place. Each is the production program with some modules
 * replaced at load time: the project itself has no switch for it. A replacement's exports have the types of those that they
 * replace, so that a renamed export fails the type check.
 */
export const VARIANTS = {
  /** REST as the app serves it. */
  'no fast path': { 'api/http/fastPath.ts': 'noFastPath.ts' },
  /** Lists read in full. */
  'no lists from memory': { 'api/rest/intents/listIntentRecords.ts': 'wholeRecords.ts' },
  /** GraphQL as Yoga serves it. */
  'no planner': { 'api/graphql/graphqlFastPath.ts': 'noGraphqlFastPath.ts' },
  /** Yoga with graphql-jit instead of graphql-js. */
  'yoga with jit': {
    'api/graphql/graphqlFastPath.ts': 'noGraphqlFastPath.ts',
    'graphql-yoga/esm/index.js': 'yogaWithJit.ts',
  },
  /** The same with Yoga's response cache; a TTL of one second, since it hears of no changes. */
  'yoga with jit and cache': {
    'api/graphql/graphqlFastPath.ts': 'noGraphqlFastPath.ts',
    'graphql-yoga/esm/index.js': 'yogaWithCache.ts',
  },
  /** The fast path with graphql-jit instead of our own plans. */
  'jit plans': { 'api/graphql/queryPlan/queryPlanCache.ts': 'jitPlans.ts' },
} as const satisfies { [variant: string]: { [module: string]: string } }

export type Variant = keyof typeof VARIANTS

/** Variants that change how an API answers. */
export const VARIANTS_OF: {
  readonly REST: readonly Variant[]
  readonly GraphQL: readonly Variant[]
} = {
  REST: ['no fast path', 'no lists from memory'],
  GraphQL: ['no planner', 'yoga with jit', 'yoga with jit and cache', 'jit plans'],
}

/** How to start a program as a variant: Node arguments and environment. */
export function variantProgram(variant: Variant): { args: string[]; env: Record<string, string> } {
  const replaced = Object.entries(VARIANTS[variant]).map(([module, file]) => [module, urlOf(file)])
  return {
    args: ['--import', fileURLToPath(urlOf('replaceModules.ts'))],
    env: { REPLACED_MODULES: JSON.stringify(Object.fromEntries(replaced)) },
  }
}

function urlOf(file: string): string {
  return new URL(file, import.meta.url).href
}
