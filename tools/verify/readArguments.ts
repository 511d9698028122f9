import { findChainId } from '../../core/chain/chainNames.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { readCommandLine } from '../commandLine.ts'

export type VerifyArguments = {
  /** Files of proof documents; `-` is standard input. */
  files: [string, ...string[]]
  /** JSON-RPC URLs by chain id, to compare headers with. */
  rpc: Map<number, string>
  /** Bridges the user trusts, by chain id. */
  bridges: Map<number, Hex>
  /** Print one JSON object instead of text. */
  json: boolean
  help: boolean
}

/** A mistake in the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const USAGE = `Usage: cairn-verify <proof.json> [more pages …] [options]

Checks a proof of an intent's history offline. "-" reads standard input.

  --rpc <chain>=<url>         compare header hashes, transactions and finality with this node
                              (once per chain; a chain is a name or a numeric id)
  --bridge <chain>=<address>  refuse events of any other contract on that chain: anyone can emit events
                              from their own contract
  --json                      print one JSON object
  --help                      print this

Exit codes: 0 the proof holds, under the conditions that the first lines name (with --json: none if "proven" is true)
            1 false or unreadable proof · 2 wrong usage
            3 a header is not in the canonical chain, or an --rpc node doesn't answer`

/** Reads the command line. Throws UsageError. */
export function readArguments(argv: readonly string[]): VerifyArguments {
  const { values, positionals } = readCommandLine(
    {
      args: [...argv],
      allowPositionals: true,
      options: {
        rpc: { type: 'string', multiple: true },
        bridge: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    },
    (message) => new UsageError(message),
  )
  const [first, ...more] = positionals
  if (first === undefined && !values.help) throw new UsageError('name a proof file')
  return {
    files: [first ?? '-', ...more],
    rpc: parseByChain(values.rpc, '--rpc', 'http://… or https://…', parseUrl),
    bridges: parseByChain(values.bridge, '--bridge', '0x and 40 hex digits', parseAddress),
    json: values.json,
    help: values.help,
  }
}

function parseByChain<Value>(
  pairs: readonly string[] | undefined,
  option: string,
  expected: string,
  read: (text: string) => Value | null,
): Map<number, Value> {
  const result = new Map<number, Value>()
  for (const pair of pairs ?? []) {
    const [chain, text] = splitOnce(pair)
    const chainId = parseChainId(chain)
    const value = read(text)
    if (value === null || !/^[\w-]+$/.test(chain)) {
      // Without the argument itself, since a URL may contain a key.
      throw new UsageError(`${option}: expected <chain>=${expected}`)
    }
    if (chainId === null) {
      throw new UsageError(`${option}: no chain is called ${chain}: give its numeric id`)
    }
    if (result.has(chainId)) throw new UsageError(`${option} names ${chain} twice`)
    result.set(chainId, value)
  }
  return result
}

function splitOnce(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return at === -1 ? ['', pair] : [pair.slice(0, at), pair.slice(at + 1)]
}

function parseChainId(text: string): number | null {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text)
  return findChainId(text) ?? null
}

function parseUrl(text: string): string | null {
  return /^https?:\/\//.test(text) && URL.canParse(text) ? text : null
}

function parseAddress(text: string): Hex | null {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? (text.toLowerCase() as Hex) : null
}
