import { type Address, getAddress, isAddress } from 'viem'
import { NATIVE } from '../../sdk/safe/transferCall.ts'
import { readCommandLine } from '../commandLine.ts'
import { SweepError } from './sweepError.ts'

/** What the program was asked to do. */
export type SweepOptions = {
  rpcUrl: string
  /** Who gets everything. */
  to: Address
  /** Null: from the environment. */
  keyFile: string | null
  /** Null: from the environment, or the first stealth key's own account pays. */
  payerFile: string | null
  /** Null: whatever is found. `NATIVE` for the chain's currency. */
  tokens: readonly Address[] | null
  fromBlock: bigint
  /** The Safe that the only key must have. */
  safe: Address | null
  /** Null: the Safe project's own deployments. */
  safeContractsFile: string | null
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
  const { values } = readCommandLine({ args: [...args], options: OPTIONS }, usage)
  if (values.help) return null
  const rpcUrl = values.rpc ?? env.SWEEP_RPC_URL
  if (!rpcUrl) throw usage('--rpc is missing: the URL of a node of the chain')
  if (!/^https?:\/\//.test(rpcUrl) || !URL.canParse(rpcUrl)) {
    throw usage('--rpc must be a URL that begins with http:// or https://')
  }
  if (values.to === undefined) throw usage('--to is missing: the address that receives everything')
  const to = addressOf('--to', values.to)
  if (to === NATIVE) throw usage('--to is the zero address: the money would be lost')
  return {
    rpcUrl,
    to,
    keyFile: values['key-file'] ?? null,
    payerFile: values['payer-file'] ?? null,
    tokens: tokensOf(values.token),
    fromBlock: blockOf(values['from-block'] ?? '0'),
    safe: values.safe === undefined ? null : addressOf('--safe', values.safe),
    safeContractsFile: values['safe-contracts'] ?? null,
    dryRun: values['dry-run'],
    json: values.json,
  }
}

/** Other users of the machine can read arguments, and shells write them down. */
function refuseKeys(args: readonly string[]): void {
  if (!args.some((argument) => /(^|=)(0x)?[0-9a-fA-F]{64}$/.test(argument))) return
  throw usage(
    'a private key can’t be an argument, because others on this machine can read it. Use --key-file, and move this key’s money soon',
  )
}

function tokensOf(texts: readonly string[] | undefined): readonly Address[] | null {
  if (texts === undefined) return null
  const tokens = texts.map((text) => (text === 'native' ? NATIVE : addressOf('--token', text)))
  return [...new Set(tokens)]
}

/** Letters of mixed case must be a right checksum: it is there against slips of the hand. */
function addressOf(option: string, text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw usage(`${option} is not an address`)
  if (!isAddress(text)) throw usage(`${option} has a wrong checksum: copy the address again`)
  return getAddress(text)
}

function blockOf(text: string): bigint {
  if (!/^\d{1,15}$/.test(text)) throw usage('--from-block is not a block number')
  return BigInt(text)
}

function usage(message: string): SweepError {
  return new SweepError('USAGE', message)
}
