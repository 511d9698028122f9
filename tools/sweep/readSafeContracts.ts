import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { NamedSafeContracts, SafeContracts } from '../../core/safe/safeContracts.ts'
import type { SweepChain } from './connectChain.ts'
import { SweepError } from './sweepError.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text as `0x${string}`)
  .optional()

/** As under `safe` in a chains file. The defaults are the Safe project's own. */
const schema = z.strictObject({
  singleton: address,
  proxyFactory: address,
  fallbackHandler: address,
  multiSendCallOnly: address,
})

/**
 * Reads the addresses of the Safe contracts on a chain without the Safe project's deployments.
 *
 * @param file null for the defaults
 * @throws SweepError `USAGE`
 */
export function readSafeContracts(file: string | null): NamedSafeContracts {
  if (file === null) return {}
  const parsed = schema.safeParse(readJson(file))
  if (parsed.success) return parsed.data as NamedSafeContracts
  const names = Object.keys(schema.shape).join(', ')
  throw new SweepError(
    'USAGE',
    `--safe-contracts (${file}) must be an object of ${names}, each an address`,
  )
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new SweepError('USAGE', `--safe-contracts (${file}) can't be read as JSON`, { cause })
  }
}

/** Requires that the chain has the contracts of Safe 1.4.1. Throws SweepError `SAFE_CONTRACTS_MISSING`. */
export async function requireSafeContracts(
  { client, name }: SweepChain,
  contracts: SafeContracts,
): Promise<void> {
  for (const [role, address] of Object.entries(contracts)) {
    if (await client.getCode({ address })) continue
    throw new SweepError(
      'SAFE_CONTRACTS_MISSING',
      `${name} has no ${role} of Safe 1.4.1 at ${address}: is --rpc a node of the chain you were paid on?`,
    )
  }
}
