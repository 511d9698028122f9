import { availableParallelism } from 'node:os'
import { canonicalName, readCommandLine, ToolError } from '../commandLine.ts'

type RecoverToolOptions = {
  help: boolean
  json: boolean
  /** Canonical names; empty for all. */
  chains: readonly string[]
  /** Where the certificate is written; null: nowhere. */
  certificate: string | null
  threads: number
  /** Whether chains that were recovered before are read again. */
  fromStart: boolean
}

/** @throws ToolError that says what is wrong with the command line */
export function parseOptions(args: readonly string[]): RecoverToolOptions {
  const { values } = readCommandLine({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      chain: { type: 'string', multiple: true },
      certificate: { type: 'string' },
      threads: { type: 'string' },
      'from-start': { type: 'boolean', default: false },
    },
  })
  const threads = values.threads === undefined ? availableParallelism() : Number(values.threads)
  if (!Number.isInteger(threads) || threads < 1 || threads > 256) {
    throw new ToolError('--threads must be 1 to 256')
  }
  return {
    help: values.help,
    json: values.json,
    chains: (values.chain ?? []).map(canonicalName),
    certificate: values.certificate ?? null,
    threads,
    fromStart: values['from-start'],
  }
}
