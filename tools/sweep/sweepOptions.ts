import { type Address, getAddress, isAddress, parseGwei } from 'viem'
import { NATIVE } from '../../sdk/safe/transferCall.ts'
import { readCommandLine } from '../commandLine.ts'
import { SweepError } from './sweepError.ts'

export type SweepOptions = {
  rpcUrl: string
  /** Receives everything. */
  to: Address
  /** Null: from the environment. */
  keyFile: string | null
  /** Null: from the environment, or the first stealth key's own account pays. */
  payerFile: string | null
  /** Null: all found. `NATIVE` for the chain's currency. */
  tokens: readonly Address[] | null
  fromBlock: bigint
  /** The only key's Safe must be this one. */
  safe: Address | null
  /** Null: the Safe project's own deployments. */
  safeContractsFile: string | null
  /** Limit on the price of gas in wei. Null: the chain's default. */
  maxFeePerGas: bigint | null
  dryRun: boolean
  json: boolean
}

const OPTIONS = {
  rpc: { type: 'string' },
  to: { type: 'string' },
  'key-file': { type: 'string' },
  'payer-file': { type: 'string' },
  token: { type: 'string', multiple: true },
  'from-block': { type: 'string' },
  safe: { type: 'string' },
  'safe-contracts': { type: 'string' },
  'max-fee-gwei': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/**
 * Reads the command line; null when help is requested.
 *
 * @throws SweepError `USAGE`
 */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): SweepOptions | null {
  refuseKeys(args)
  const { values } = readCommandLine({ args: [...args], options: OPTIONS }, usageError)
  if (values.help) return null
  const rpcUrl = values.rpc ?? env.SWEEP_RPC_URL
  if (!rpcUrl) throw usageError('--rpc is missing: the URL of a node of the chain')
  if (!/^https?:\/\//.test(rpcUrl) || !URL.canParse(rpcUrl)) {
    throw usageError('--rpc must be a URL that begins with http:// or https://')
  }
  if (values.to === undefined)
    throw usageError('--to is missing: the address that receives everything')
  const to = parseAddress('--to', values.to)
  if (to === NATIVE) throw usageError('--to is the zero address: the funds would be lost')
  return {
    rpcUrl,
    to,
    keyFile: values['key-file'] ?? null,
    payerFile: values['payer-file'] ?? null,
    tokens: parseTokens(values.token),
    fromBlock: parseBlock(values['from-block'] ?? '0'),
    safe: values.safe === undefined ? null : parseAddress('--safe', values.safe),
    safeContractsFile: values['safe-contracts'] ?? null,
    maxFeePerGas: parsePrice(values['max-fee-gwei']),
    dryRun: values['dry-run'],
    json: values.json,
  }
}

/** Other users of the machine can read arguments, and shells store them. */
function refuseKeys(args: readonly string[]): void {
  if (!args.some((argument) => /(^|=)(0x)?[0-9a-fA-F]{64}$/.test(argument))) return
  throw usageError(
    'a private key can’t be an argument, because others on this machine can read it. Use --key-file, and move this key’s funds soon',
  )
}

function parseTokens(texts: readonly string[] | undefined): readonly Address[] | null {
  if (texts === undefined) return null
  const tokens = texts.map((text) => (text === 'native' ? NATIVE : parseAddress('--token', text)))
  return [...new Set(tokens)]
}

/** Letters of mixed case are a checksum, which reveals typos. */
function parseAddress(option: string, text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw usageError(`${option} is not an address`)
  if (!isAddress(text)) throw usageError(`${option} has a wrong checksum: copy the address again`)
  return getAddress(text)
}

function parseBlock(text: string): bigint {
  if (!/^\d{1,15}$/.test(text)) throw usageError('--from-block is not a block number')
  return BigInt(text)
}

function parsePrice(text: string | undefined): bigint | null {
  if (text === undefined) return null
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return parseGwei(text)
  throw usageError('--max-fee-gwei is not an amount, such as 10 or 0.5')
}

function usageError(message: string): SweepError {
  return new SweepError('USAGE', message)
}
