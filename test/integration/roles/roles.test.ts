import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeClusterDirectory } from '../../../services/postgres/clusterDirectory.ts'
import { type RunningPostgres, startPostgres } from '../../../services/postgres/startPostgres.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { until } from '../../rig/until.ts'
import { type RunningRole, startRole } from './startRole.ts'

/** Stands for the part of a provider's URL that pays. */
const KEY = 'k3y-that-pays'

const directory = mkdtempSync(join(tmpdir(), 'cairn-roles-'))
chmodSync(directory, 0o755)
const started = new Set<ChildProcess>()

let postgres: RunningPostgres
let chains: string

beforeAll(async () => {
  postgres = await startPostgres({ dataDirectory: join(directory, 'postgres') })
  chains = join(directory, 'chains.json')
  // Nothing listens there: a provider that is permanently down.
  const url = `http://127.0.0.1:${await findDeadPort()}/v2/${KEY}`
  const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: [url], startBlock: 1 }
  const bridge = '0x00000000000000000000000000000000000000b1'
  writeFileSync(chains, JSON.stringify({ chains: [{ ...chain, bridge, confirmations: 1 }] }))
})

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL')
  await postgres.stop()
  removeClusterDirectory(join(directory, 'postgres'))
  rmSync(directory, { recursive: true, force: true })
})

function start(role: string, variables: Record<string, string>): RunningRole {
  const running = startRole(role, variables)
  started.add(running.child)
  running.ended.then(() => started.delete(running.child))
  return running
}

describe.each(['indexer', 'api'])('the role %s', (role) => {
  it('lists every configuration error and exits with 2', async () => {
    const variables = { LOG_LEVEL: 'loud', ...(role === 'api' && { API_PORT: '70000' }) }
    const { ended, said } = start(role, variables)
    expect(await ended).toBe(2)
    expect(said()).toContain('DATABASE_URL is not set')
    expect(said()).toContain('CHAINS is not set')
    expect(said()).toContain('LOG_LEVEL')
    if (role === 'api') expect(said()).toContain('API_PORT')
    expect(said()).not.toContain('    at ')
  })

  it('shuts down cleanly on SIGTERM, also while its provider is down, and never logs the provider’s key', async () => {
    const { databaseUrl: DATABASE_URL } = postgres
    const environment = { DATABASE_URL, CHAINS: chains, LOG_LEVEL: 'debug', API_PORT: '0' }
    const { child, ended, said } = start(role, environment)
    await until(() => /no endpoint of base_sepolia|listening/.test(said()))
    const reported = role === 'api' ? await askAround(said()) : ''
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(said() + reported).not.toContain(KEY)
    expect(said() + reported).not.toContain(new URL(DATABASE_URL).password)
  })
})

it('an API that drains answers after SIGTERM, and says to proxies that it isn’t ready', async () => {
  const { databaseUrl: DATABASE_URL } = postgres
  const environment = { DATABASE_URL, CHAINS: chains, API_PORT: '0', API_DRAIN_SECONDS: '600' }
  const { child, ended, said } = start('api', environment)
  await until(() => said().includes('listening'))
  const url = urlIn(said())
  child.kill('SIGTERM')
  await until(() => said().includes('stopping'))
  const [ready, page] = await Promise.all([fetch(`${url}/v1/ready`), fetch(`${url}/openapi.json`)])
  expect([ready.status, await ready.json()]).toEqual([
    503,
    expect.objectContaining({ code: 'STOPPING' }),
  ])
  expect([page.status, page.headers.get('connection')]).toEqual([200, 'close'])
  // The operator is in a hurry.
  child.kill('SIGTERM')
  expect(await ended).toBe(1)
})

/** What the API answers where an operator looks. */
async function askAround(log: string): Promise<string> {
  const url = urlIn(log)
  const answers = ['/health', '/ready', '/metrics', '/intents', '/intent-details/1'].map((path) =>
    fetch(`${url}${path}`).then((response) => response.text()),
  )
  const texts = await Promise.all(answers)
  expect(texts[0]).toContain('base_sepolia')
  return texts.join('\n')
}

function urlIn(log: string): string | undefined {
  return /"url":"(http:[^"]+)"/.exec(log)?.[1]
}
