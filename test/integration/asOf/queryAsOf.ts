/** An intent as REST lists it, as far as it is looked at field by field. */
export type IntentRecord = { intentId: string; createTxHash: string; sequence: string }

type OrderRecord = {
  id: string
  vaultOrderId: string
  user: string
  sourceChainId: string
  tranchesFilled: number
}

/** An answer of REST: which fields are there depends on the path. */
export type PastAnswer = {
  status: number
  body: {
    success: boolean
    code: string
    total: number
    nextCursor: string | null
    asOf: object[]
    intent: IntentRecord
    intents: IntentRecord[]
    events: object[]
    order: OrderRecord & { tranches: object[] }
    orders: OrderRecord[]
  }
}

type Nodes<Node> = { nodes: Node[] }

/** An answer over GraphQL: which fields are there depends on the query. */
export type PastQuery = {
  errors?: { extensions: { code: string } }[]
  data: {
    intents: Nodes<{
      intentId: string
      status: string
      bids: Nodes<object>
      events: Nodes<{ intent: object }>
    }> & { pageInfo: { hasNextPage: boolean; endCursor: string | null }; totalCount: number }
    events: Nodes<{ intent: { status: string } }>
    order: { id: string; tranches: Nodes<{ intent: { order: { id: string } } }> }
    orders: Nodes<{ orderId: string }> & { totalCount: number }
  }
}

/** Asks an API for REST's and GraphQL's answers. */
export function queryPast(url: string) {
  return {
    async get(path: string): Promise<PastAnswer> {
      const response = await fetch(`${url}${path}`)
      return { status: response.status, body: (await response.json()) as PastAnswer['body'] }
    },
    async graphql(query: string, variables: object = {}): Promise<PastQuery> {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      return (await response.json()) as PastQuery
    },
  }
}
