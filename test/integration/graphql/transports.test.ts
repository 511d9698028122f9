import { afterAll, beforeAll, describe, expect } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import {
  TRANSPORT_LIMITS,
  type TransportLimits,
} from '../../../api/graphql/transport/transportLimits.ts'
import type { RequestLimits } from '../../../api/http/limits/requestGate.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import { until } from '../../rig/until.ts'
import { describeEventStreams } from './describeEventStreams.ts'
import { describeWebSockets } from './describeWebSockets.ts'
import { BASE, type GraphqlRig, startGraphqlRig } from './graphqlRig.ts'
import type { TransportRig } from './transportRig.ts'

const PLENTY = { perSecond: 1_000, burst: 10_000 }
const GAUGES = ['subscriptions', 'streams', 'sockets'].map((name) => `cairn_graphql_${name}`)

let seeded: GraphqlRig
let rig: TransportRig
const apis: RunningApi[] = []

async function start(
  limits: Partial<TransportLimits>,
  reads: RequestLimits['reads'] = PLENTY,
): Promise<string> {
  const api = await startApi({
    databaseUrl: seeded.databaseUrl,
    chains: [],
    host: '127.0.0.1',
    port: 0,
    limits: { reads, writes: PLENTY },
    routes: [
      createGraphqlRoutes({
        onProblem: (error) => seeded.problems.push(error),
        limits: { ...TRANSPORT_LIMITS, messages: PLENTY, ...limits },
      }),
    ],
  })
  apis.push(api)
  return api.url
}

async function gauge(name: string, url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

beforeAll(async () => {
  seeded = await startGraphqlRig({ intents: 100 })
  const table = `"cairn_${BASE}_seeded".intent`
  await seeded.client.query(`select app.install_row_triggers('cairn_${BASE}_seeded')`)
  const url = await start({})
  const strictUrl = await start({ perClient: 2, operations: 3 })
  const modestUrl = await start({}, { perSecond: 0.001, burst: 5 })
  rig = {
    url,
    strictUrl,
    modestUrl,
    gauge: (name, from = url) => gauge(name, from),
    someIntents: async (count) => {
      const { rows } = await seeded.client.query(
        `select intent_id::text as id from ${table} order by intent_id limit ${count}`,
      )
      return rows.map(({ id }) => id)
    },
    touch: async (ids) => {
      const which = ids === 'all' ? 'true' : `intent_id in (${ids.join()})`
      await seeded.client.query(
        `update ${table} set updated_block = updated_block + 1 where ${which}`,
      )
    },
    isQuiet: () =>
      until(async () => {
        for (const one of [url, strictUrl])
          for (const name of GAUGES) if ((await gauge(name, one)) > 0) return false
        return true
      }),
  }
})

afterAll(async () => {
  for (const api of apis) await api.stop()
  await seeded?.stop()
  expect(seeded?.problems).toEqual([])
})

describe('GraphQL over server-sent events, many operations on one', () =>
  describeEventStreams(() => rig))
describe('GraphQL over WebSockets', () => describeWebSockets(() => rig))
