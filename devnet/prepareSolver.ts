import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { formatUnits } from 'viem'
import type { PolicyFile } from '../services/solver/policy/policySchema.ts'
import { deriveDevnetAccounts } from './accounts.ts'
import type { StateDirectory } from './stateDirectory.ts'
import { DEVNET_TOKENS, TOKEN_SYMBOLS, worth } from './tokens.ts'

export type DevnetSolver = {
  name: string
  address: `0x${string}`
  /** Bearer token of `/start` and `/stop`. */
  adminToken: string
  env: Record<string, string>
}

/**
 * Differences between the two solvers: the first takes any profitable intent, the second accepts lower margins but avoids
 * large amounts. So each outbids the other now and then.
 */
const CHARACTERS: Record<'solver-1' | 'solver-2', Pick<PolicyFile, 'marginBps' | 'limits'>> = {
  'solver-1': { marginBps: 6, limits: { overall: '5000000' } },
  'solver-2': { marginBps: 3, limits: { intent: '5000', overall: '1000000' } },
}

/** Stake of each in every token, in cents: backs about five million dollars of bids. */
const STAKE = 25_000_000

/** Prepares what a solver's operator would: a database, a key, a policy. */
export async function prepareSolver(
  name: 'solver-1' | 'solver-2',
  { databaseUrl, api, state }: { databaseUrl: string; api: string; state: StateDirectory },
): Promise<DevnetSolver> {
  const number = Number(name.at(-1))
  const account = deriveDevnetAccounts().solvers[number - 1]
  if (!account) throw new Error(`the devnet has no account for ${name}`)
  const [keyFile, policyFile] = [
    state.solverFile(number, 'key'),
    state.solverFile(number, 'policy.json'),
  ]
  writeFileSync(keyFile, `${account.privateKey}\n`, { mode: 0o600 })
  // An edited one stays until --fresh.
  if (!existsSync(policyFile))
    writeFileSync(policyFile, `${JSON.stringify(policyOf(name), null, 2)}\n`)
  const adminToken = randomBytes(24).toString('base64url')
  return {
    name,
    address: account.address,
    adminToken,
    env: {
      SOLVER_DATABASE_URL: await databaseFor(databaseUrl, `cairn_solver_${number}`),
      SOLVER_RELAYER_URL: api,
      SOLVER_POLICY: policyFile,
      SOLVER_KEY_FILE: keyFile,
      SOLVER_ADMIN_TOKENS: adminToken,
      SOLVER_PORT: '0',
    },
  }
}

function policyOf(name: 'solver-1' | 'solver-2'): PolicyFile {
  const prices = Object.entries(DEVNET_TOKENS).map(([symbol, { cents }]) => [
    symbol,
    (cents / 100).toFixed(2),
  ])
  const stakes = TOKEN_SYMBOLS.map((symbol) => {
    const { decimals } = DEVNET_TOKENS[symbol]
    return [symbol, formatUnits(worth(symbol, STAKE), decimals)]
  })
  return {
    ...CHARACTERS[name],
    prices: Object.fromEntries(prices),
    stakes: Object.fromEntries(stakes),
    deliverySafetySeconds: 4,
  }
}

/** Creates the solver's own database on the devnet's server if it isn't there. */
export async function databaseFor(databaseUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return url.href
}
