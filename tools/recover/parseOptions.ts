import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { chainIdOf, chainNameOf } from '../../core/chain/names.ts'

type RecoverToolOptions = {
  help: boolean
  json: boolean
  /** Canonical names; empty for all. */
  chains: readonly string[]
  /** Where the certificate is written; null: nowhere. */
  certificate: string | null
  threads: number
}

/** The command line or the environment is not as it must be. */
export class RecoverUsageError extends Error {
  override readonly name = 'RecoverUsageError'
}

/** Reads the command line. Throws a RecoverUsageError that says what is wrong with it. */
export function parseOptions(args: readonly string[]): RecoverToolOptions {
  const values = readArguments(args)
  const threads = values.threads === undefined ? availableParallelism() : Number(values.threads)
  if (!Number.isInteger(threads) || threads < 1 || threads > 256) {
    throw new RecoverUsageError('--threads is a number from 1 to 256')
  }
  return {
    help: values.help,
    json: values.json,
    chains: (values.chain ?? []).map(canonical),
    certificate: values.certificate ?? null,
    threads,
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        chain: { type: 'string', multiple: true },
        certificate: { type: 'string' },
        threads: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new RecoverUsageError(error instanceof Error ? error.message : String(error))
  }
}

function canonical(name: string): string {
  const id = chainIdOf(name)
  return (id === null ? null : chainNameOf(id)) ?? name
}
