/**
 * `npm run bench:explorer`: latency of the explorer's pages over a seeded index, uncached, and the CPU time of API and
 * database.
 */
import { createExplorerRoutes } from '../../api/explorer/explorerRoutes.ts'
import { startApi } from '../../api/rest/startApi.ts'
import { seedDatabase } from '../../tools/seed/seedDatabase.ts'
import { tokenOf } from '../../tools/seed/seedSqlFunctions.ts'
import { BASE, CHAINS, HORIZEN, UNTIL } from '../integration/rest/seededApi.ts'
import { startPostgresUnderTest } from '../postgresUnderTest.ts'
import { readOptions } from './readOptions.ts'

const USAGE = `npm run bench:explorer -- [--intents 1000000] [--rounds 60] [--database postgres://…]
  --database  one that was seeded before, instead of a new one`

const options = readOptions(
  USAGE,
  {
    intents: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
    database: { type: 'string' },
  },
  ['intents', 'rounds'],
)

const postgres = options.database
  ? null
  : await startPostgresUnderTest({ shared_buffers: '1GB', max_wal_size: '2GB' })
const databaseUrl = options.database ?? (postgres?.databaseUrl as string)
if (postgres)
  await seedDatabase({ databaseUrl, intents: Number(options.intents), seed: 5, until: UNTIL })
const unlimited = { perSecond: 1e6, burst: 1e6 }
const api = await startApi({
  databaseUrl,
  chains: CHAINS,
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  limits: { reads: unlimited, writes: unlimited },
  routes: [createExplorerRoutes()],
  onFailure: (failure) => console.error(failure),
})
try {
  for (const [name, path] of Object.entries(await splitIntoPages(api.url)))
    console.log(name.padEnd(12), await measure(`${api.url}${path}`))
} finally {
  await api.stop()
  await postgres?.stop()
}

/** A path for every kind of page, of a completed intent and an existing order. */
async function splitIntoPages(url: string): Promise<Record<string, string>> {
  const json = async (path: string) => (await fetch(`${url}${path}`)).json()
  const completed = `/intents?limit=1&status=completed&sourceChainId=${BASE}`
  const [intent] = (await json(completed)).intents
  const [order] = (await json('/order-details?limit=1')).orders
  return {
    overview: '/',
    intents: '/explorer/intents',
    filtered: `/explorer/intents?status=failed&sourceChainId=${BASE}`,
    intent: `/explorer/intent/${intent.intentId}`,
    orders: '/explorer/orders',
    order: `/explorer/order/${order.id}?chainId=${order.sourceChainId}`,
    solvers: '/explorer/solvers',
    solver: `/explorer/solver/${intent.solverAddress}`,
    pairs: '/explorer/pairs',
    pair: `/explorer/pair/${BASE}/${HORIZEN}/${tokenOf('USDC', BASE)}/${tokenOf('USDC', HORIZEN)}`,
    chains: '/explorer/chains',
    tokens: '/explorer/tokens',
    transaction: `/explorer/transaction/${intent.createTxHash}`,
    block: `/explorer/block/${BASE}/${intent.timeline[0].blockNumber}`,
    address: `/explorer/address/${intent.sender}`,
  }
}

/** A different query each time, so that no page comes from the API's cache. */
async function measure(address: string): Promise<string> {
  const times: number[] = []
  const rounds = Number(options.rounds)
  const cpu = process.cpuUsage()
  for (let round = 0; round < rounds; round++) {
    const varied = address.includes('/intents')
      ? `maxAmountA=${10n ** 40n + BigInt(round)}`
      : `round=${round}`
    const asked = `${address}${address.includes('?') ? '&' : '?'}${varied}`
    const begun = performance.now()
    const answer = await fetch(asked, { headers: { accept: 'text/html' } })
    await answer.text()
    if (answer.status !== 200) throw new Error(`${asked} answered ${answer.status}`)
    times.push(performance.now() - begun)
  }
  const { user, system } = process.cpuUsage(cpu)
  times.sort((a, b) => a - b)
  const at = (share: number) => `${times[Math.ceil(share * rounds) - 1]?.toFixed(0)} ms`
  const own = ((user + system) / 1_000 / rounds).toFixed(0)
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, ${own} ms CPU of this process`
}
