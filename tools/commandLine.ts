import { type ParseArgsConfig, parseArgs } from 'node:util'
import { chainIdOf, chainNameOf } from '../core/chain/names.ts'
import {
  ChangedDuringReadError,
  UnusableAnswerError,
} from '../services/chain/history/historyError.ts'
import { ConfigurationError } from '../services/config/configurationError.ts'
import { RootFileError } from '../services/enclave/keys/rootFile.ts'
import { hideUrls } from '../services/log/hideUrls.ts'

/** Something that stops a tool and that its user can do something about. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** `parseArgs`, with an error that the user sees as it is. */
export function readCommandLine<Config extends ParseArgsConfig>(
  config: Config,
  refuse: (message: string) => Error = (message) => new ToolError(message),
) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error))
  }
}

/** A chain's canonical name, where this one is an alias. */
export function canonicalName(name: string): string {
  const id = chainIdOf(name)
  return (id === null ? null : chainNameOf(id)) ?? name
}

const EXPLAINED = [
  ToolError,
  ConfigurationError,
  RootFileError,
  UnusableAnswerError,
  ChangedDuringReadError,
]

/** Our own errors say all there is to say; others come with their stack. */
export function explain(tool: string, error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isOurs = EXPLAINED.some((kind) => error instanceof kind) || error.name === 'RpcError'
  return isOurs ? `${tool}: ${hideUrls(error.message)}` : hideUrls(error.stack ?? error.message)
}
