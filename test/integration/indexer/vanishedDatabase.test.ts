import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import type { ChainLock } from '../../../services/indexer/chainLock.ts'
import type { ChainStatus, Supervision } from '../../../services/indexer/chainSupervision.ts'
import { superviseChain } from '../../../services/indexer/follow/superviseChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { until } from '../../rig/until.ts'

let postgres: PostgresUnderTest

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
})
afterAll(() => postgres?.stop())

/** The database's URL through a network that `vanish` cuts: open connections get no answer, and no end either. */
async function startNetwork(): Promise<{ databaseUrl: string; vanish(): void }> {
  const url = new URL(postgres.databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect(postgres.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    databaseUrl: url.href,
    vanish: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
  }
}

test.each([
  ['while a status is published', true],
  ['between two statements', false],
])('a database whose host vanishes %s doesn’t hold a run up', async (_, isPublishing) => {
  const { databaseUrl, vanish } = await startNetwork()
  const status: ChainStatus = {
    name: 'base_sepolia',
    chainId: 84_532,
    schema: 'cairn_84532_test',
    state: 'starting',
    progress: 0,
    problem: null,
    pid: null,
  }
  const stopping = new AbortController()
  let held: ChainLock | null = null
  const following = superviseChain({
    chain: { name: status.name } as ChainConfig,
    schema: status.schema,
    databaseUrl,
    log: pino({ level: 'silent' }),
    signal: stopping.signal,
    status: () => status,
    report: (change) => Object.assign(status, change),
    publishThrough: async (lock) => {
      if (lock === null) {
        if (isPublishing) await held?.query('select 1', [])
        return
      }
      held = lock
      vanish()
      throw new Error('the host vanished')
    },
  } as Partial<Supervision> as Supervision)
  // The next run finds that the vanished connection's lock isn't released.
  const isNext = () => held !== null && status.problem?.startsWith('another indexer') === true
  await until(isNext, 'the next run', { timeout: 60_000 })
  stopping.abort()
  await following
})

test('a database that doesn’t listen is named with its variable, not like a problem of the chain’s nodes', async () => {
  const port = await findDeadPort()
  const stopping = new AbortController()
  const logged: string[] = []
  const following = superviseChain({
    chain: { name: 'base_sepolia' } as ChainConfig,
    schema: 'cairn_84532_test',
    databaseUrl: `postgres://cairn:s3cret@127.0.0.1:${port}/cairn`,
    log: { warn: (_: object, line: string) => logged.push(line) },
    signal: stopping.signal,
    status: () => ({ problem: null, state: 'starting' }),
    report: () => {},
  } as unknown as Supervision)
  await until(() => logged.length > 0, 'a line of the log')
  stopping.abort()
  await following
  expect(logged[0]).toBe(
    `DATABASE_URL: nothing listens at 127.0.0.1:${port}. Is PostgreSQL running there?`,
  )
})
