import { readFileSync } from 'node:fs'

const GUIDE = readFileSync(new URL('../../docs/graphql.md', import.meta.url), 'utf8')

/** Each `graphql` block of the guide, with the `json` block right after it as its variables. */
export const GUIDE_EXAMPLES = [
  ...GUIDE.matchAll(/```graphql\n([\s\S]*?)```(?:\s*```json\n([\s\S]*?)```)?/g),
].map(([, query = '', variables = '{}']) => ({
  name: /(?:query|subscription) (\w+)/.exec(query)?.[1] ?? query,
  query,
  variables: JSON.parse(variables) as Record<string, unknown>,
}))

/**
 * An example's variables, with the block that the guide has its reader look up: the last of the chain that the query names.
 *
 * @param ask sends a query and returns its data
 */
export async function completeVariables(
  { query, variables }: Pick<(typeof GUIDE_EXAMPLES)[number], 'query' | 'variables'>,
  ask: (query: string) => Promise<unknown>,
): Promise<Record<string, unknown>> {
  if (!query.includes('$block')) return variables
  const named = /chainId: "(\w+)"/.exec(query)?.[1]
  const { _meta } = (await ask('{ _meta { chains { chain block } } }')) as {
    _meta: { chains: { chain: string; block: number }[] }
  }
  return { ...variables, block: _meta.chains.find(({ chain }) => chain === named)?.block }
}
