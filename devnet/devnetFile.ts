import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

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

/**
 * Reads the description of the devnet in `directory` (default `.cairn`).
 *
 * @throws when there is none, or one of another version
 */
export function readDevnetFile(directory = '.cairn'): DevnetFile {
  const path = devnetFilePath(directory)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new Error(`no devnet at ${path}: start one with npm start`)
  }
  return devnetFileSchema.parse(JSON.parse(text))
}

/** Writes the description atomically, readable by its owner only. */
export function writeDevnetFile(directory: string, file: DevnetFile): void {
  const path = devnetFilePath(directory)
  const half = `${path}.${process.pid}`
  writeFileSync(half, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  renameSync(half, path)
}
