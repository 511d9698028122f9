import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isDirectoryLocked } from './directoryLock.ts'

const hex = z.string().regex(/^0x[0-9a-fA-F]+$/)
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text as `0x${string}`)
const privateKey = hex.length(66).transform((text) => text as `0x${string}`)

/** `.cairn/devnet.json`: describes a running devnet to programs. */
const devnetFileSchema = z.object({
  /** Base URL of the REST API. */
  api: z.url(),
  /** URL of the GraphQL endpoint, and of GraphiQL. */
  graphql: z.url(),
  /** Base URL of the scheduled-order service; null if not started. */
  orders: z.url().nullable().default(null),
  /** Bearer token of the API's admin endpoints; new at each start. */
  adminToken: z.string(),
  /** The solver services. */
  solvers: z.array(
    z.object({
      name: z.string(),
      url: z.url(),
      address,
      /** Bearer token of `/start` and `/stop`. */
      adminToken: z.string(),
    }),
  ),
  chains: z.array(
    z.object({
      name: z.string(),
      chainId: z.number(),
      rpc: z.url(),
      ws: z.url(),
      bridge: address,
      registry: address,
      vault: address,
      /** Test tokens by symbol; decimals are in the token contracts. */
      tokens: z.record(z.string(), address),
      /** Block before which the contracts emitted nothing. */
      startBlock: z.number(),
    }),
  ),
  /** Private keys, the same on both chains. They are public: never use them elsewhere. */
  accounts: z.object({
    deployer: privateKey,
    /** The enclave's gas account, derived from the root in `enclave/root`. */
    relayer: privateKey,
    treasury: privateKey,
    /** Operators of the enclaves' keys. */
    operators: z.array(privateKey),
    quoting: privateKey,
    solvers: z.array(privateKey),
    /** Bids but doesn't deliver, to show the consequences. */
    rogue: privateKey,
    senders: z.array(privateKey),
    /** Funded but unused: for trying things out. */
    guests: z.array(privateKey),
  }),
  databaseUrl: z.string(),
})

export type DevnetFile = z.infer<typeof devnetFileSchema>

/** Path of the description of the devnet whose state is in `directory`. */
function devnetFilePath(directory: string): string {
  return join(directory, 'devnet.json')
}

/** No devnet is running in the directory, or it isn't ready yet. */
export class DevnetNotRunningError extends Error {
  override readonly name = 'DevnetNotRunningError'
}

/**
 * Reads the description of the devnet that runs in `directory` (default `.cairn`).
 *
 * @throws DevnetNotRunningError; another error for a file of another version
 */
export function readDevnetFile(directory = '.cairn'): DevnetFile {
  const path = devnetFilePath(directory)
  // A devnet that was killed leaves its file.
  if (!existsSync(directory) || !isDirectoryLocked(directory)) {
    const option = directory === '.cairn' ? '' : ` -- --directory ${directory}`
    throw new DevnetNotRunningError(
      `the devnet of ${directory} isn't running: start it with npm start${option}`,
    )
  }
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new DevnetNotRunningError(
      `the devnet of ${directory} is still starting: wait until npm start prints its addresses`,
    )
  }
  return devnetFileSchema.parse(JSON.parse(text))
}

/** Removes the description of a devnet that can't be used. */
export function removeDevnetFile(directory: string): void {
  rmSync(devnetFilePath(directory), { force: true })
}

/** Writes the description atomically, readable by its owner only. */
export function writeDevnetFile(directory: string, file: DevnetFile): void {
  const path = devnetFilePath(directory)
  const half = `${path}.${process.pid}`
  writeFileSync(half, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  renameSync(half, path)
}
