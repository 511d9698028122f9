import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { chainConfig } from '../../integration/rest/seededApi.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { ADMIN_TOKEN } from './attackTargets.ts'
import { type RoleUnderAttack, startRoleUnderAttack } from './roleUnderAttack.ts'

/** Every server that accepts requests, over a seeded history and real nodes. */
export type SystemUnderAttack = {
  postgres: PostgresUnderTest
  enclave: RoleUnderAttack
  /** Path of the enclave's socket. */
  socket: string
  relayer: RoleUnderAttack
  solver: RoleUnderAttack
  /** The scheduled-order service. */
  orders: RoleUnderAttack
  stop(): Promise<void>
}

/** High enough that no limit shields the handlers. */
const NO_LIMITS = {
  API_READS_PER_SECOND: '100000',
  API_READS_BURST: '100000',
  API_WRITES_PER_SECOND: '100000',
  API_WRITES_BURST: '100000',
  API_CLIENT_WRITES_PER_SECOND: '100000',
  API_CLIENT_WRITES_BURST: '100000',
  // Each request comes from another client, so that no limit per client shields the handlers.
  TRUSTED_PROXIES: '127.0.0.1',
}

export async function startSystemUnderAttack(): Promise<SystemUnderAttack> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-malformed-'))
  chmodSync(directory, 0o700)
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const one of stops.toReversed()) await one()
    rmSync(directory, { recursive: true, force: true })
  }
  const start = async (role: string, env: Record<string, string>) => {
    const started = await startRoleUnderAttack(role, { LOG_LEVEL: 'debug', ...env })
    stops.push(started.stop)
    return started
  }
  try {
    const postgres = await startPostgresUnderTest()
    stops.push(() => postgres.stop())
    const { databaseUrl } = postgres
    await seedDatabase({ databaseUrl, intents: 40, seed: 5, until: Math.floor(Date.now() / 1_000) })
    const write = (name: string, text: string) => {
      writeFileSync(join(directory, name), text, { mode: 0o600 })
      return join(directory, name)
    }
    const rpc = async (chainId: number) => {
      const node = await startAnvil({ chainId, blockTime: 3_600 })
      stops.push(() => node.stop())
      return node.rpc
    }
    const chains = [
      chainConfig('base_sepolia', 84_532, await rpc(84_532)),
      chainConfig('horizen_testnet', 2_651_420, await rpc(2_651_420)),
    ].map((chain) => ({ ...chain, registry: `0x${'e5'.repeat(20)}`, vault: VAULT }))
    const CHAINS = write('chains.json', JSON.stringify({ chains }))
    const socket = join(directory, 'enclave.sock')
    const enclave = await start('enclave', {
      CHAINS,
      ENCLAVE_SOCKET: socket,
      ENCLAVE_ROOT_FILE: join(directory, 'root'),
    })
    const relayer = await start('api', {
      CHAINS,
      ENCLAVE_SOCKET: socket,
      DATABASE_URL: databaseUrl,
      API_PORT: '0',
      ...NO_LIMITS,
      ADMIN_TOKENS: ADMIN_TOKEN,
      SERVICE_TOKENS: ADMIN_TOKEN,
      // Fills the cache early, so that it doesn't count as growth.
      API_MEMORY_MB: '8',
    })
    const solver = await start('solver', {
      CHAINS,
      SOLVER_DATABASE_URL: await postgres.createDatabase('solver'),
      SOLVER_RELAYER_URL: relayer.url,
      SOLVER_PORT: '0',
      SOLVER_ADMIN_TOKENS: ADMIN_TOKEN,
      SOLVER_POLICY: write('policy.json', JSON.stringify(POLICY)),
      SOLVER_KEY_FILE: write('solver.key', 'a5'.repeat(32)),
    })
    const orders = await start('orders', {
      CHAINS,
      ENCLAVE_SOCKET: socket,
      ORDERS_PORT: '0',
      ORDERS_RELAYER_URL: relayer.url,
      ORDERS_DATABASE_URL: await postgres.createDatabase('orders'),
      ...NO_LIMITS,
    })
    return { postgres, enclave, socket, relayer, solver, orders, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** No contract is there: no order can be funded on these chains. */
const VAULT = `0x${'0a'.repeat(20)}`

const POLICY = { prices: {}, marginBps: 10, limits: { overall: '0' } }
