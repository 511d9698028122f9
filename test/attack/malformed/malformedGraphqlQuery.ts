import { EXAMPLE_QUERIES } from '../../../api/graphql/graphiql/exampleQueries.ts'
import type { SeededRandom } from '../../rig/seededRandom.ts'
import { corruptInput, drawText, type KnownValues } from './corruptInput.ts'

type GraphqlBody = { query: string; variables?: object; operationName?: string }

/** Queries with variables for every kind of argument. */
const QUERIES_WITH_VARIABLES: readonly {
  query: string
  variablesOf(known: KnownValues): object
}[] = [
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
      first: 3,
      after: null,
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

/** A GraphQL request, valid or with its query or variables spoiled. */
export function drawMalformedGraphqlQuery(random: SeededRandom, known: KnownValues): GraphqlBody {
  const good =
    random.fraction() < 0.4
      ? { query: random.pick(EXAMPLE_QUERIES) }
      : drawQueryWithVariables(random, known)
  const kind = random.fraction()
  if (kind < 0.2) return good
  if (kind < 0.5) return corruptInput(random, good, known) as GraphqlBody
  return { ...good, query: spoilQuery(random, good.query, known) }
}

function drawQueryWithVariables(random: SeededRandom, known: KnownValues): GraphqlBody {
  const { query, variablesOf } = random.pick(QUERIES_WITH_VARIABLES)
  const variables = variablesOf(known)
  return {
    query,
    variables: random.fraction() < 0.6 ? variables : corruptInput(random, variables, known),
  }
}

/** Replaces, removes or repeats one token, or cuts off the end. */
function spoilQuery(random: SeededRandom, query: string, known: KnownValues): string {
  const words = query.split(/(\w+|[^\w\s])/)
  const at = Math.floor(random.fraction() * words.length)
  const kind = random.fraction()
  if (kind < 0.2) return query.slice(0, Math.floor(random.fraction() * query.length))
  if (kind < 0.4) return words.toSpliced(at, 1).join('')
  if (kind < 0.5) return words.with(at, `${words[at]} `.repeat(500)).join('')
  if (kind < 0.75) return words.with(at, random.pick(words)).join('')
  const text = drawText(random, known)
  return words.with(at, random.fraction() < 0.5 ? text : JSON.stringify(text)).join('')
}
