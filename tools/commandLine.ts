import { type ParseArgsConfig, parseArgs } from 'node:util'
import { findChainId, findChainName } from '../core/chain/chainNames.ts'
import {
  ChangedDuringReadError,
  NodesDisagreeError,
  UnusableAnswerError,
} from '../services/chain/history/historyErrors.ts'
import { RpcError } from '../services/chain/rpcPool/rpcError.ts'
import { OperatorError } from '../services/config/operatorError.ts'
import { EnclaveError } from '../services/enclave/enclaveError.ts'
import { InconsistentRangeError } from '../services/indexer/history/checkRangeConsistency.ts'
import { hideUrls } from '../services/log/hideUrls.ts'
import { describeDatabaseProblem } from '../services/store/database/databaseProblem.ts'
import { ProjectionError } from '../src/projection/projectionError.ts'
import { printable } from './printable.ts'

/** A failure that the tool's user can fix. */
export class ToolError extends OperatorError {
  override readonly name = 'ToolError'
}

/** `parseArgs`, with an error whose message is for the tool's user. */
export function readCommandLine<Config extends ParseArgsConfig>(
  config: Config,
  refuse: (message: string) => Error = (message) => new ToolError(message),
) {
  try {
    return parseArgs(config)
  } catch (error) {
    // Node's message may continue with advice about arguments that begin with a dash.
    const [what = ''] = (error instanceof Error ? error.message : String(error)).split('. ')
    throw refuse(`${what}: see --help`)
  }
}

/** The canonical name of a chain that may be named by an alias. */
export function canonicalName(name: string): string {
  const id = findChainId(name)
  return (id === null ? null : findChainName(id)) ?? name
}

/** @throws ToolError when an option names something twice; aliases count as the chain they name */
export function refuseRepeated(option: string, names: readonly string[]): void {
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new ToolError(`${option} names ${repeated} twice`)
}

/** Blocks from the command line: the last one of each chain that is named, by canonical name, and of all others. */
export type BlockByChain = { all: number | null; byChain: ReadonlyMap<string, number> }

/**
 * Parses `block` and `name=block`, each chain at most once.
 *
 * @param complaint what is wrong with other text
 * @throws ToolError
 */
export function parseBlocks(
  option: string,
  texts: readonly string[],
  complaint?: string,
): BlockByChain {
  const blocks = texts.map((text) => {
    const at = text.indexOf('=')
    const chain = at === -1 ? null : canonicalName(text.slice(0, at))
    return { chain, block: parseWholeNumber(option, text.slice(at + 1), complaint) }
  })
  refuseRepeated(
    option,
    blocks.map(({ chain }) => chain ?? 'all chains'),
  )
  return {
    all: blocks.find(({ chain }) => chain === null)?.block ?? null,
    byChain: new Map(blocks.flatMap(({ chain, block }) => (chain ? [[chain, block]] : []))),
  }
}

/** @throws ToolError */
export function parseWholeNumber(
  option: string,
  text: string,
  complaint = 'is not a whole number',
): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new ToolError(`${option}: "${text}" ${complaint}`)
  }
  return value
}

/** Errors whose message is complete; others are shown with their stack. */
const OWN_ERRORS = [
  ...[OperatorError, EnclaveError, RpcError],
  ...[UnusableAnswerError, ChangedDuringReadError],
  ...[NodesDisagreeError, InconsistentRangeError, ProjectionError],
]

function isOwn(error: Error): boolean {
  return OWN_ERRORS.some((kind) => error instanceof kind)
}

/** A full or unwritable disk. Node's message says which file, if it knows. */
const DISK_ERRORS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES']

function isDiskError(error: NodeJS.ErrnoException): boolean {
  return DISK_ERRORS.includes(error.code ?? '')
}

/** A tool's error in words for its user. */
export function explain(tool: string, error: unknown): string {
  if (!(error instanceof Error)) return printable(String(error))
  const words =
    isOwn(error) || isDiskError(error)
      ? `${tool}: ${addRemedy(error)}`
      : (error.stack ?? error.message)
  return printable(hideUrls(words))
}

/** What to do about an enclave's refusals, by message. */
const ENCLAVE_REMEDIES: Readonly<Record<string, string>> = {
  ENCLAVE_UNREACHABLE:
    'no enclave answers at the socket: check that it runs, and the socket’s path',
  NO_NEXT_KEY: 'make the next key with prepare-attester',
  'HANDOVER_REFUSED (inactive)':
    'the other enclave’s key doesn’t count in every registry: register it, and wait until it is active and confirmed',
  'HANDOVER_REFUSED (operators)':
    'two listed operators of every registry must sign what operator-message prints for this request',
  'HANDOVER_REFUSED (stale)': 'the nodes’ blocks are too old: check the rpcUrls in CHAINS',
  'HANDOVER_REFUSED (registries)': 'the enclave’s chains file names no registry',
}

/** An error's message. An enclave's is only a code, so what to do is added. */
export function addRemedy(error: Error): string {
  const remedy = error instanceof EnclaveError ? ENCLAVE_REMEDIES[error.message] : undefined
  return remedy === undefined ? error.message : `${error.message}: ${remedy}`
}

/**
 * Waits for work on a database.
 *
 * @param setting what names the database, such as `DATABASE_URL`
 * @throws ToolError that names the setting when the database can't be used
 */
export async function onDatabase<Result>(
  setting: string,
  databaseUrl: string,
  work: Promise<Result>,
): Promise<Result> {
  return work.catch((error: Error) => {
    const words = isOwn(error) ? null : describeDatabaseProblem(error, setting, databaseUrl)
    throw words === null ? error : new ToolError(words, { cause: error })
  })
}
