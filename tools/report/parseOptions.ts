import { canonicalName, readCommandLine, ToolError } from '../commandLine.ts'
import { type Point, parsePointInTime } from './parsePointInTime.ts'

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

/** @throws ToolError that says what is wrong with the command line */
export function parseOptions(args: readonly string[]): ReportOptions {
  const { values, positionals } = readCommandLine({
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
  const [word, ...rest] = positionals
  const command = word === undefined ? 'write' : word
  if (command !== 'write' && command !== 'diff' && command !== 'verify') {
    throw new ToolError(
      `unknown command "report ${command}": use report, report diff or report verify`,
    )
  }
  if (command === 'verify' && rest.length !== 1 && !values.help) {
    throw new ToolError('name one folder: report verify <dir>')
  }
  if (command !== 'verify' && rest.length > 0)
    throw new ToolError(`unexpected argument "${rest[0]}": see --help`)
  return {
    command,
    help: values.help,
    json: values.json,
    from: parsePointInTime('--from', values.from ?? []),
    to: parsePointInTime('--to', values.to ?? []),
    chains: (values.chain ?? []).map(canonicalName),
    directory: command === 'verify' ? (rest[0] ?? '') : values.out,
    signer: values.signer === undefined ? null : address(values.signer),
  }
}

function address(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new ToolError(`--signer: "${text}" isn't an address`)
  return text.toLowerCase() as `0x${string}`
}
