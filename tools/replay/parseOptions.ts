import {
  canonicalName,
  parseBlocks,
  parseWholeNumber,
  readCommandLine,
  refuseRepeated,
  ToolError,
} from '../commandLine.ts'

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
  const asOf = parseBlocks('--as-of', values['as-of'] ?? [])
  const chains = (values.chain ?? []).map(canonicalName)
  refuseRepeated('--chain', chains)
  if (!isFormat(values.format)) throw new ToolError('--format is ndjson or csv')
  return {
    help: values.help,
    compare: values.compare,
    json: values.json,
    asOf: asOf.all,
    asOfChain: asOf.byChain,
    chains,
    exportTo: values.export ?? null,
    format: values.format,
    differences: parseWholeNumber('--differences', values.differences),
  }
}

function isFormat(text: string): text is ExportFormat {
  return text === 'ndjson' || text === 'csv'
}
