import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChainConfig } from '../services/config/chainConfig.ts'
import type { SpawnRoleOptions } from '../services/process/spawnRole.ts'
import { deriveDevnetAccounts } from './accounts.ts'
import { DEVNET_ROLES, type DevnetOptions, type DevnetRole } from './devnetOptions.ts'
import { type KeptRole, keepRoleRunning } from './keepRoleRunning.ts'
import { type DevnetSolver, databaseFor, prepareSolver } from './prepareSolver.ts'
import type { StateDirectory } from './stateDirectory.ts'

/** The programs running on a devnet. */
type RunningRoles = {
  roles: Partial<Record<DevnetRole, KeptRole>>
  /** Bearer token of the API's admin endpoints. */
  adminToken: string
  /** Resolves when the roles that need no API are ready. */
  ready: Promise<unknown>
  /** Gives the solvers the API's address so that they can start. Resolves when they listen. */
  startSolvers(api: string): Promise<RunningDevnetSolver[]>
  /** Starts the scheduled-order service. Resolves with its address; null if the role isn't requested. */
  startOrders(api: string): Promise<string | null>
}

export type RunningDevnetSolver = Omit<DevnetSolver, 'env'> & { url: string }

/** What must run before the roles. */
export type RoleGround = { databaseUrl: string; chains: ChainConfig[] }

/** Readers wait for these, so they keep the normal priority. */
const FIRST: ReadonlySet<DevnetRole> = new Set(['indexer', 'api'])

/** Seconds for which a due refund is left to its sender. */
const REFUND_AFTER = 20

/** Gas that costs nothing: a few accounts send all day, and half of their intents get no bid. */
const UNPAID_GAS = 10 ** 12

/**
 * Starts the programs as in production: with a chains file and environment variables. Each loads immediately, which
 * takes most of a second of processor time, and starts working once the `ground` is ready, clients of the API once that
 * is too.
 */
export function startRoles(
  options: DevnetOptions,
  state: StateDirectory,
  ground: Promise<RoleGround>,
): RunningRoles {
  const prepared = ground.then((known) => {
    writeFileSync(state.chainsFile, `${JSON.stringify({ chains: known.chains }, null, 2)}\n`)
    return known
  })
  // The caller handles the failure.
  prepared.catch(() => {})
  mkdirSync(dirname(state.enclaveSocket), { recursive: true, mode: 0o700 })
  const adminToken = randomBytes(24).toString('base64url')
  const common = {
    ...process.env,
    CHAINS: state.chainsFile,
    LOG_LEVEL: options.logLevel ?? 'info',
  }
  const env = {
    ...common,
    API_HOST: options.apiHost ?? '127.0.0.1',
    API_PORT: String(options.apiPort ?? 0),
    AUTH_MODE: 'compat',
    ADMIN_TOKENS: adminToken,
    ENCLAVE_SOCKET: state.enclaveSocket,
    REFUND_AFTER_SECONDS: String(REFUND_AFTER),
    ALLOW_PRIVATE_WEBHOOKS: '1',
    RELAYER_UNPAID_GAS: String(UNPAID_GAS),
  }
  // No other role gets the root: a role with the root compiles for itself (process/speedUpModuleLoading.ts).
  const enclaveEnv = {
    ...env,
    ENCLAVE_ROOT_FILE: state.rootFile,
    ENCLAVE_QUOTING_KEY: deriveDevnetAccounts().quoting.privateKey,
  }
  const envOf = (name: DevnetRole) => {
    if (name === 'enclave') return enclaveEnv
    return name === 'push' ? { ...env, PUSH_KEY_FILE: state.pushKeyFile } : env
  }
  const requested = options.roles ?? DEVNET_ROLES
  const roles: RunningRoles['roles'] = {}
  type Start = Pick<SpawnRoleOptions, 'role' | 'env' | 'laterEnv'> & { port: string }
  const keep = (name: DevnetRole, { port, ...start }: Start) => {
    const logFile = join(state.logs, `${name}.log`)
    const onNotice = (text: string) => options.onEvent?.({ type: 'notice', text })
    const yields = options.yields === true && !FIRST.has(name)
    const kept = keepRoleRunning({ ...start, name, logFile, yields, onNotice }, port)
    roles[name] = kept
    return kept
  }
  const database = prepared.then(({ databaseUrl }) => ({ DATABASE_URL: databaseUrl }))
  const first = requested
    .filter((name) => !needsApi(name))
    .map((name) =>
      keep(name, { role: name, port: 'API_PORT', env: envOf(name), laterEnv: database }),
    )
  const ready = Promise.all(first.map((role) => role.ready))
  // A role may end before anything awaits it.
  ready.catch(() => {})
  const solvers = requested.filter(isSolver).map((name) => {
    const own = Promise.withResolvers<NodeJS.ProcessEnv>()
    const start = { role: 'solver', port: 'SOLVER_PORT', env: common, laterEnv: own.promise }
    return { name, own, kept: keep(name, start) }
  })
  const ordersEnv = Promise.withResolvers<NodeJS.ProcessEnv>()
  const orders = requested.includes('orders')
    ? keep('orders', { role: 'orders', port: 'ORDERS_PORT', env, laterEnv: ordersEnv.promise })
    : null
  return {
    roles,
    adminToken,
    ready,
    startSolvers: (api) =>
      Promise.all(
        solvers.map(async ({ name, own, kept }) => {
          const { databaseUrl } = await prepared
          const { env: variables, ...solver } = await prepareSolver(name, {
            databaseUrl,
            api,
            state,
          })
          own.resolve(variables)
          return { ...solver, url: (await kept.ready) ?? '' }
        }),
      ),
    startOrders: async (api) => {
      if (orders === null) return null
      const { databaseUrl } = await prepared
      ordersEnv.resolve({
        DATABASE_URL: databaseUrl,
        ORDERS_DATABASE_URL: await databaseFor(databaseUrl, 'cairn_orders'),
        ORDERS_RELAYER_URL: api,
        ORDERS_PORT: '0',
      })
      return orders.ready
    },
  }
}

/** Clients of the API begin once it is up. */
function needsApi(name: DevnetRole): boolean {
  return isSolver(name) || name === 'orders'
}

function isSolver(name: DevnetRole): name is 'solver-1' | 'solver-2' {
  return name.startsWith('solver-')
}
