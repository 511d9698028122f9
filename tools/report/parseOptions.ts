import { parseArgs } from 'node:util'
import { chainIdOf, chainNameOf } from '../../core/chain/names.ts'
import { type Point, parsePointInTime } from './parsePointInTime.ts'
import { ReportError } from './reportError.ts'

type ReportCommand = 'write' | 'diff' | 'verify'

export type ReportOptions = {
  command: ReportCommand
  help: boolean
  json: boolean
  /** Null means the start of the history, and the latest confirmed block. */
  from: Point | null
  to: Point | null
  /** Canonical names of the chains to report; empty for all. */
  chains: readonly string[]
  directory: string
  /** The required signer, in lower case. */
  signer: `0x${string}` | null
}

/** Reads the command line. Throws a ReportError that says what is wrong with it. */
export function parseOptions(args: readonly string[]): ReportOptions {
  const { values, positionals } = readArguments(args)
  const [word, ...rest] = positionals
  const command = word === undefined ? 'write' : word
  if (command !== 'write' && command !== 'diff' && command !== 'verify') {
    throw new ReportError(
      `unknown command "report ${command}": use report, report diff or report verify`,
    )
  }
  if (command === 'verify' && rest.length !== 1 && !values.help) {
    throw new ReportError('name one folder: report verify <dir>')
  }
  if (command !== 'verify' && rest.length > 0)
    throw new ReportError(`unexpected argument "${rest[0]}": see --help`)
  return {
    command,
    help: values.help,
    json: values.json,
    from: parsePointInTime('--from', values.from ?? [], canonical),
    to: parsePointInTime('--to', values.to ?? [], canonical),
    chains: (values.chain ?? []).map(canonical),
    directory: command === 'verify' ? (rest[0] ?? '') : values.out,
    signer: values.signer === undefined ? null : address(values.signer),
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        from: { type: 'string', multiple: true },
        to: { type: 'string', multiple: true },
        chain: { type: 'string', multiple: true },
        out: { type: 'string', default: 'cairn-report' },
        signer: { type: 'string' },
      },
    })
  } catch (error) {
    throw new ReportError(error instanceof Error ? error.message : String(error))
  }
}

function address(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new ReportError(`--signer: "${text}" isn't an address`)
  return text.toLowerCase() as `0x${string}`
}

function canonical(name: string): string {
  const id = chainIdOf(name)
  return (id === null ? null : chainNameOf(id)) ?? name
}
