import { readFileSync } from 'node:fs'

const TEXT = readFileSync(new URL('./examples.graphql', import.meta.url), 'utf8')

/** Queries that GraphiQL opens in its tabs. Each can be run as it is, and begins with a comment. */
export const EXAMPLE_QUERIES: readonly string[] = TEXT.split(/\n(?=# )/)
