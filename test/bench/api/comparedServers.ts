import { FIELDS } from './requestedFields.ts'
import { VARIANTS_OF, type Variant } from './variants/variants.ts'

/** Requested intents: one of all, the newest 50, or the newest 50 of one of 40 solvers. */
export const RECORDS = ['by id', 'newest 50', "a solver's 50"] as const
/** REST also serves quotes. */
export const QUESTIONS = [...RECORDS, 'a quote'] as const
export type Question = (typeof QUESTIONS)[number]

type Subject = { sourceChainId: string; intentId: string }

/** The subjects of requests. */
export type Subjects = {
  intents: readonly Subject[]
  solvers: readonly string[]
  /** Query strings: a token pair and an amount typical of it. */
  quotes: readonly string[]
}

/** An HTTP request; GET if it has no body. */
type Asked = { path: string; body?: string }

/** Cairn as an operator starts it, optionally without an optimisation or its caches. */
type OwnServer = 'cairn' | `cairn, ${Variant}`

export type Contender = {
  /** As printed. */
  name: string
  server: OwnServer | `${OwnServer}, no memory` | 'bare' | 'ponder' | 'postgraphile'
  /** The parts of Cairn that are removed or replaced. */
  variant?: Variant
  surface: 'REST' | 'GraphQL'
  side: 'ours' | 'peers'
  /** For lists only. */
  listsOnly?: true
  /** The `n`th request of a kind, for any `n`. */
  ask(question: Question, subjects: Subjects, n: number): Asked
  /** The records in an answer. */
  records(question: Question, answer: unknown): Record<string, unknown>[]
}

const ours = FIELDS.map(([name]) => name).join(' ')
const theirs = FIELDS.map(([, name]) => name).join(' ')

function pick<One>(all: readonly One[], n: number): One {
  return all[n % all.length] as One
}

function graphql(query: string, variables: object): Asked {
  return { path: '/graphql', body: JSON.stringify({ query, variables }) }
}

/** The value at a path of properties. */
function at(answer: unknown, ...path: string[]): unknown {
  return path.reduce((value, name) => (value as Record<string, unknown>)[name], answer)
}

function listed(value: unknown): Record<string, unknown>[] {
  return [value].flat() as Record<string, unknown>[]
}

const cairnRest: Omit<Contender, 'name' | 'server'> = {
  surface: 'REST',
  side: 'ours',
  ask: (question, { intents, solvers, quotes }, n) => {
    if (question === 'a quote') return { path: `/quote?${pick(quotes, n)}` }
    if (question === 'by id') return { path: `/intent-details/${pick(intents, n).intentId}` }
    const solver = question === 'newest 50' ? '' : `&solver=${pick(solvers, n)}`
    return { path: `/intents?limit=50${solver}` }
  },
  records: (question, answer) =>
    listed(at(answer, question === 'by id' ? 'intent' : 'intents')).map(flattened),
}

/**
 * Every list is new: created before a future time, a different one each time. Its intents are cached, and the list's
 * statement says which of them have changed.
 */
const freshLists: Omit<Contender, 'name' | 'server'> = {
  ...cairnRest,
  listsOnly: true,
  ask: (question, subjects, n) => {
    const asked = cairnRest.ask(question, subjects, n)
    if (question === 'by id') return asked
    return { path: `${asked.path}&createdBefore=${4_000_000_000 + n}` }
  },
}

const bareRest: Omit<Contender, 'name' | 'server'> = {
  surface: 'REST',
  side: 'peers',
  ask: (question, { intents, solvers, quotes }, n) => {
    if (question === 'a quote') return { path: `/quote?${pick(quotes, n)}` }
    if (question === 'by id') return { path: `/intent/${pick(intents, n).intentId}` }
    return { path: question === 'newest 50' ? '/intents' : `/intents?solver=${pick(solvers, n)}` }
  },
  records: (question, answer) =>
    listed(at(answer, question === 'by id' ? 'intent' : 'intents')).map(camelCased),
}

const cairnGraphql: Omit<Contender, 'name' | 'server'> = {
  surface: 'GraphQL',
  side: 'ours',
  ask: (question, { intents, solvers }, n) => {
    if (question === 'by id') {
      const { intentId: id } = pick(intents, n)
      return graphql(`query One($id: BigInt!) { intent(id: $id) { ${ours} } }`, { id })
    }
    const where = question === 'newest 50' ? {} : { solver: { eq: pick(solvers, n) } }
    const query = `query List($where: IntentFilter) { intents(first: 50, where: $where) { nodes { ${ours} } } }`
    return graphql(query, { where })
  },
  records: (question, answer) =>
    listed(
      question === 'by id' ? at(answer, 'data', 'intent') : at(answer, 'data', 'intents', 'nodes'),
    ),
}

/**
 * For graphql-jit, whose compiler doesn't terminate on recursive variable types such as filters (its issue 81): filters
 * are inlined in the query.
 */
const literalGraphql: Omit<Contender, 'name' | 'server'> = {
  ...cairnGraphql,
  ask: (question, subjects, n) => {
    if (question === 'by id') return cairnGraphql.ask(question, subjects, n)
    const solver = `, where: { solver: { eq: "${pick(subjects.solvers, n)}" } }`
    const where = question === 'newest 50' ? '' : solver
    return graphql(`{ intents(first: 50${where}) { nodes { ${ours} } } }`, {})
  },
}

const ponder: Omit<Contender, 'name' | 'server'> = {
  surface: 'GraphQL',
  side: 'peers',
  ask: (question, { intents, solvers }, n) => {
    if (question === 'by id') {
      const { sourceChainId, intentId } = pick(intents, n)
      const query = `query One($chain: Float!, $id: BigInt!) { intent(sourceChainId: $chain, intentId: $id) { ${theirs} } }`
      return graphql(query, { chain: Number(sourceChainId), id: intentId })
    }
    const where = question === 'newest 50' ? {} : { solver: pick(solvers, n) }
    const query = `query List($where: intentFilter) { intents(limit: 50, orderBy: "createdAt", orderDirection: "desc", where: $where) { items { ${theirs} } } }`
    return graphql(query, { where })
  },
  records: (question, answer) =>
    listed(
      question === 'by id' ? at(answer, 'data', 'intent') : at(answer, 'data', 'intents', 'items'),
    ),
}

const postgraphile: Omit<Contender, 'name' | 'server'> = {
  surface: 'GraphQL',
  side: 'peers',
  ask: (question, { intents, solvers }, n) => {
    if (question === 'by id') {
      const { sourceChainId: chain, intentId: id } = pick(intents, n)
      const query = `query One($chain: BigInt!, $id: BigFloat!) { intentBySourceChainIdAndIntentId(sourceChainId: $chain, intentId: $id) { ${theirs} } }`
      return graphql(query, { chain, id })
    }
    const order = 'orderBy: [CREATED_AT_DESC, INTENT_ID_DESC]'
    if (question === 'newest 50') {
      return graphql(`{ allIntents(first: 50, ${order}) { nodes { ${theirs} } } }`, {})
    }
    const query = `query List($solver: String!) { allIntents(first: 50, ${order}, condition: { solver: $solver }) { nodes { ${theirs} } } }`
    return graphql(query, { solver: pick(solvers, n) })
  },
  records: (question, answer) =>
    listed(
      question === 'by id'
        ? at(answer, 'data', 'intentBySourceChainIdAndIntentId')
        : at(answer, 'data', 'allIntents', 'nodes'),
    ),
}

/** Each server by each of its APIs, ours first. */
export const CONTENDERS: readonly Contender[] = [
  { name: 'Cairn REST', server: 'cairn', ...cairnRest },
  { name: 'Cairn REST, lists never asked before', server: 'cairn', ...freshLists },
  { name: 'Cairn REST, no memory', server: 'cairn, no memory', ...cairnRest },
  { name: 'bare Hono + pg', server: 'bare', ...bareRest },
  { name: 'Cairn GraphQL', server: 'cairn', ...cairnGraphql },
  { name: 'Cairn GraphQL, no memory', server: 'cairn, no memory', ...cairnGraphql },
  { name: 'Ponder GraphQL', server: 'ponder', ...ponder },
  { name: 'PostGraphile 5', server: 'postgraphile', ...postgraphile },
  ...VARIANTS_OF.REST.flatMap((variant) => variantsOf('REST', variant, cairnRest)),
  ...VARIANTS_OF.GraphQL.flatMap((variant) =>
    variantsOf('GraphQL', variant, /jit/.test(variant) ? literalGraphql : cairnGraphql),
  ),
]

function variantsOf(
  surface: string,
  variant: Variant,
  how: Omit<Contender, 'name' | 'server'>,
): Contender[] {
  const [name, server] = [`Cairn ${surface}, ${variant}`, `cairn, ${variant}`] as const
  return [
    { name, server, variant, ...how },
    { name: `${name}, no memory`, server: `${server}, no memory`, variant, ...how },
  ]
}

/** Whether a contender supports this request. */
export function supportsQuestion({ surface, listsOnly }: Contender, question: Question): boolean {
  if (listsOnly) return question === 'newest 50' || question === "a solver's 50"
  return surface === 'REST' || question !== 'a quote'
}

/** The REST record, with nested fields under their column names. */
function flattened(record: Record<string, unknown>): Record<string, unknown> {
  const [creation] = record.timeline as [{ blockNumber: number }]
  const { count, best } = record.bids as {
    count: number
    best: { solver: string; amountB: string } | null
  }
  return {
    ...record,
    createdAt: record.timestamp,
    createdBlock: creation.blockNumber,
    bidCount: count,
    bestBid: best?.amountB,
    bestBidder: best?.solver,
  }
}

/** `created_at` → `createdAt`. */
function camelCased(row: Record<string, unknown>): Record<string, unknown> {
  const renamed = (name: string) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [renamed(name), value]))
}
