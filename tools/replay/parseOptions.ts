import { canonicalName, readCommandLine, refuseRepeated, ToolError } from '../commandLine.ts'

export type ExportFormat = 'ndjson' | 'csv'

export type ReplayOptions = {
  help: boolean
  compare: boolean
  json: boolean
  /** Last block for every chain that `asOfChain` doesn't name; null for the head. */
  asOf: number | null
  /** Last block by canonical chain name. */
  asOfChain: ReadonlyMap<string, number>
  /** Canonical names of the chains to replay; empty for all. */
  chains: readonly string[]
  exportTo: string | null
  format: ExportFormat
  /** How many differences to print for each chain. */
  differences: number
}

/** @throws ToolError that says what is wrong with the command line */
export function parseOptions(args: readonly string[]): ReplayOptions {
  const { values } = readCommandLine({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      'as-of': { type: 'string', multiple: true },
      chain: { type: 'string', multiple: true },
      export: { type: 'string' },
      format: { type: 'string', default: 'ndjson' },
      differences: { type: 'string', default: '20' },
    },
  })
  const asOf = (values['as-of'] ?? []).map(readAsOf)
  const chains = (values.chain ?? []).map(canonicalName)
  refuseRepeated(
    '--as-of',
    asOf.map(({ chain }) => chain ?? 'all chains'),
  )
  refuseRepeated('--chain', chains)
  if (!isFormat(values.format)) throw new ToolError('--format is ndjson or csv')
  return {
    help: values.help,
    compare: values.compare,
    json: values.json,
    asOf: asOf.find(({ chain }) => chain === null)?.block ?? null,
    asOfChain: new Map(asOf.flatMap(({ chain, block }) => (chain ? [[chain, block]] : []))),
    chains,
    exportTo: values.export ?? null,
    format: values.format,
    differences: parseWholeNumber('--differences', values.differences),
  }
}

function readAsOf(text: string): { chain: string | null; block: number } {
  const at = text.indexOf('=')
  const chain = at === -1 ? null : canonicalName(text.slice(0, at))
  return { chain, block: parseWholeNumber('--as-of', text.slice(at + 1)) }
}

function parseWholeNumber(option: string, text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new ToolError(`${option}: "${text}" is not a whole number`)
  }
  return value
}

function isFormat(text: string): text is ExportFormat {
  return text === 'ndjson' || text === 'csv'
}
