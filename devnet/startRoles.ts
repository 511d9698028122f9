import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChainConfig } from '../services/config/chains.ts'
import { type KeptRole, keepRole } from '../services/process/keepRole.ts'
import { devnetAccounts } from './accounts.ts'
import { DEVNET_ROLES, type DevnetOptions, type DevnetRole } from './devnetOptions.ts'
import { type DevnetSolver, databaseFor, prepareSolver } from './prepareSolver.ts'
import type { StateDirectory } from './stateDirectory.ts'

/** Our programs as they run on a devnet. */
export type RunningRoles = {
  roles: Partial<Record<DevnetRole, KeptRole>>
  /** Bearer token of the API's admin endpoints. */
  adminToken: string
  /** Starts the solvers, which need the API's address. Resolves when they listen. */
  startSolvers(api: string): Promise<RunningDevnetSolver[]>
  /** Starts the scheduled-order service. Resolves with its address; null where the role isn't wanted. */
  startOrders(api: string): Promise<string | null>
}

export type RunningDevnetSolver = Omit<DevnetSolver, 'env'> & { url: string }

/** Seconds for which a refund that is due is left to its sender. */
const REFUND_AFTER = 20

/** Starts our programs the way production does: a chains file and the environment. */
export function startRoles(
  options: DevnetOptions,
  state: StateDirectory,
  { databaseUrl, chains }: { databaseUrl: string; chains: ChainConfig[] },
): RunningRoles {
  writeFileSync(state.chainsFile, `${JSON.stringify({ chains }, null, 2)}\n`)
  mkdirSync(dirname(state.enclaveSocket), { recursive: true, mode: 0o700 })
  const adminToken = randomBytes(24).toString('base64url')
  const common = {
    ...process.env,
    CHAINS: state.chainsFile,
    LOG_LEVEL: options.logLevel ?? 'info',
  }
  const env = {
    ...common,
    DATABASE_URL: databaseUrl,
    API_HOST: options.apiHost ?? '127.0.0.1',
    API_PORT: String(options.apiPort ?? 0),
    AUTH_MODE: 'compat',
    ADMIN_TOKENS: adminToken,
    ENCLAVE_SOCKET: state.enclaveSocket,
    REFUND_AFTER_SECONDS: String(REFUND_AFTER),
    ALLOW_PRIVATE_WEBHOOKS: '1',
  }
  // No other role gets the root: one that does compiles for itself (process/quickModules.ts).
  const enclaveEnv = {
    ...env,
    ENCLAVE_ROOT_FILE: state.rootFile,
    ENCLAVE_QUOTING_KEY: devnetAccounts().quoting.privateKey,
  }
  const envOf = (name: DevnetRole) => {
    if (name === 'enclave') return enclaveEnv
    return name === 'push' ? { ...env, PUSH_KEY_FILE: state.pushKeyFile } : env
  }
  const wanted = options.roles ?? DEVNET_ROLES
  const roles: RunningRoles['roles'] = {}
  const keep = (name: DevnetRole, role: string, roleEnv: NodeJS.ProcessEnv, port: string) => {
    const logFile = join(state.logs, `${name}.log`)
    const onNotice = (text: string) => options.onEvent?.({ type: 'notice', text })
    const kept = keepRole({ role, name, env: roleEnv, logFile, onNotice }, port)
    roles[name] = kept
    return kept
  }
  for (const name of wanted) if (!needsApi(name)) keep(name, name, envOf(name), 'API_PORT')
  return {
    roles,
    adminToken,
    startSolvers: (api) =>
      Promise.all(
        wanted.filter(isSolver).map(async (name) => {
          const { env: own, ...solver } = await prepareSolver(name, { databaseUrl, api, state })
          const kept = keep(name, 'solver', { ...common, ...own }, 'SOLVER_PORT')
          return { ...solver, url: (await kept.ready) ?? '' }
        }),
      ),
    startOrders: async (api) => {
      if (!wanted.includes('orders')) return null
      const own = {
        ORDERS_DATABASE_URL: await databaseFor(databaseUrl, 'cairn_orders'),
        ORDERS_RELAYER_URL: api,
        ORDERS_PORT: '0',
        ORDERS_LOOK_MS: '250',
      }
      return keep('orders', 'orders', { ...env, ...own }, 'ORDERS_PORT').ready
    },
  }
}

/** What talks to the API is started once it is there. */
function needsApi(name: DevnetRole): boolean {
  return isSolver(name) || name === 'orders'
}

function isSolver(name: DevnetRole): name is 'solver-1' | 'solver-2' {
  return name.startsWith('solver-')
}
