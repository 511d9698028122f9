import { fileURLToPath } from 'node:url'

/**
 * Cairn with one of its faster ways taken out, or with a library in its place. Each is the program that an
 * operator starts, with some modules replaced as they are loaded: the project itself has no switch for it.
 */
export const VARIANTS = {
  /** REST as the app answers it. */
  'no fast path': { 'api/http/fastPath.ts': 'noFastPath.ts' },
  /** Lists read whole. */
  'no text lists': {
    'api/graphql/plan/textField.ts': 'noTextFields.ts',
    'api/rest/intents/listIntentRecords.ts': 'wholeRecords.ts',
  },
  /** GraphQL as yoga answers it. */
  'no planner': { 'api/graphql/graphqlFastPath.ts': 'noGraphqlFastPath.ts' },
  /** yoga, with graphql-jit instead of graphql-js. */
  'yoga with jit': {
    'api/graphql/graphqlFastPath.ts': 'noGraphqlFastPath.ts',
    'graphql-yoga/esm/index.js': 'yogaWithJit.ts',
  },
  /** The same, with yoga's own memory of answers; a second old, for it hears no change. */
  'yoga with jit and cache': {
    'api/graphql/graphqlFastPath.ts': 'noGraphqlFastPath.ts',
    'graphql-yoga/esm/index.js': 'yogaWithCache.ts',
  },
  /** The fast path, with graphql-jit instead of plans of our own. */
  'jit plans': { 'api/graphql/plan/createPlans.ts': 'jitPlans.ts' },
} as const satisfies { [variant: string]: { [module: string]: string } }

export type Variant = keyof typeof VARIANTS

/** The variants that answer over a surface in another way. */
export const VARIANTS_OF: {
  readonly REST: readonly Variant[]
  readonly GraphQL: readonly Variant[]
} = {
  REST: ['no fast path', 'no text lists'],
  GraphQL: ['no planner', 'no text lists', 'yoga with jit', 'yoga with jit and cache', 'jit plans'],
}

/** What starts a program as a variant: arguments of Node, and an environment. */
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
