import { parse, validate } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSchema } from '../../../api/graphql/createSchema.ts'
import { EXAMPLE_QUERIES } from '../../../api/graphql/graphiql/exampleQueries.ts'
import { completeVariables, GUIDE_EXAMPLES } from '../../rig/graphqlGuide.ts'
import { type GraphqlRig, startGraphqlRig } from './graphqlRig.ts'

let rig: GraphqlRig
beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 400 })
})
afterAll(() => rig?.stop())

test('the GraphQL guide has examples', () => {
  expect(GUIDE_EXAMPLES.length).toBeGreaterThan(7)
})

const examples = EXAMPLE_QUERIES.map((query) => ({
  name: /^(?:query|subscription) (\w+)/m.exec(query)?.[1] ?? '',
  query,
  variables: {},
}))
const all = [...GUIDE_EXAMPLES, ...examples]
const queries = all.filter(({ query }) => !/^subscription/m.test(query))

test.each(queries)('the guide’s query $name returns data', async (example) => {
  const { name, query } = example
  const variables = await completeVariables(example, (asked) => rig.data(asked))
  const data = await rig.data(query, variables)
  // No intent has the transaction hash of zeros, and no auction is open between seeded intents.
  if (name !== 'ByTransaction') expect(leaves(data).some((leaf) => leaf !== null)).toBe(true)
  for (const list of Object.values(data)) {
    const nodes = (list as { nodes?: unknown[] }).nodes
    if (nodes) expect(nodes.length).toBeGreaterThan(0)
  }
})

const subscriptions = all.filter(({ query }) => /^subscription/m.test(query))

test.each(subscriptions)('the guide’s subscription $name is valid', ({ query }) => {
  expect(validate(createSchema(), parse(query))).toEqual([])
})

function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leaves)
    : [value]
}
