import { EXAMPLES } from '../../../api/graphql/graphiql/examples.ts'
import { type Draw, pick } from './draw.ts'
import { type KnownValues, spoil, value } from './spoil.ts'

type GraphqlBody = { query: string; variables?: object; operationName?: string }

/** Queries by variables: of each kind of argument that there is. */
const ASKING: readonly { query: string; variablesOf(known: KnownValues): object }[] = [
  {
    query: `query Q($id: BigInt!, $of: ChainId) {
      intent(id: $id, sourceChainId: $of) { intentId status bids { nodes { amountB } } timeline { at } }
    }`,
    variablesOf: ({ intentIds }) => ({ id: intentIds[0], of: 84_532 }),
  },
  {
    query: `query Q($first: Int, $after: String, $where: IntentFilter) {
      intents(first: $first, after: $after, where: $where) { nodes { intentId events { nodes { args } } } }
    }`,
    variablesOf: ({ addresses }) => ({
      ...{ first: 3, after: null },
      where: { status: { in: ['pending'] }, sender: { eq: addresses[0] } },
    }),
  },
  {
    query: 'query Q($address: Address!) { solver(address: $address) { address wins lastSeen } }',
    variablesOf: ({ addresses }) => ({ address: addresses.at(-1) }),
  },
  {
    query: 'subscription Q($id: BigInt) { intentUpdated(id: $id) { sequence cause } }',
    variablesOf: ({ intentIds }) => ({ id: intentIds[0] }),
  },
]

/** A GraphQL request that is whole, or of which the query or the variables were spoiled. */
export function malformedQuery(draw: Draw, known: KnownValues): GraphqlBody {
  const good = draw() < 0.4 ? { query: pick(draw, EXAMPLES) } : asking(draw, known)
  const kind = draw()
  if (kind < 0.2) return good
  if (kind < 0.5) return spoil(draw, good, known) as GraphqlBody
  return { ...good, query: spoilQuery(draw, good.query, known) }
}

function asking(draw: Draw, known: KnownValues): GraphqlBody {
  const { query, variablesOf } = pick(draw, ASKING)
  const variables = variablesOf(known)
  return { query, variables: draw() < 0.6 ? variables : spoil(draw, variables, known) }
}

/** One word or sign replaced, left out or said many times, or the end cut off. */
function spoilQuery(draw: Draw, query: string, known: KnownValues): string {
  const words = query.split(/(\w+|[^\w\s])/)
  const at = Math.floor(draw() * words.length)
  const kind = draw()
  if (kind < 0.2) return query.slice(0, Math.floor(draw() * query.length))
  if (kind < 0.4) return words.toSpliced(at, 1).join('')
  if (kind < 0.5) return words.with(at, `${words[at]} `.repeat(500)).join('')
  if (kind < 0.75) return words.with(at, pick(draw, words)).join('')
  const text = value(draw, known)
  return words.with(at, draw() < 0.5 ? text : JSON.stringify(text)).join('')
}
