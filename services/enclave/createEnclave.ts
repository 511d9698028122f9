import { type ContractSigners, rpcContractSigners } from './accounts/contractSigners.ts'
import type { EnclaveChain } from './chains.ts'
import type { Ecies } from './ecies/ecies.ts'
import { loadEcies } from './ecies/loadEcies.ts'
import { EnclaveError } from './enclaveError.ts'
import { openKeyring } from './keys/keyring.ts'
import type { Roots } from './keys/rootFile.ts'
import { type CheckedRequest, OPERATIONS, type OperationName, type ResponseOf } from './messages.ts'
import { createOpeners } from './openers/createOpeners.ts'
import { attestSettlement } from './operations/attestSettlement.ts'
import { deriveStealth, findStealths } from './operations/deriveStealth.ts'
import { exportStealthKey } from './operations/exportStealthKey.ts'
import { openBlob, openBlobs } from './operations/openBlob.ts'
import { openBundle } from './operations/openBundle.ts'
import { openTickets } from './operations/openTickets.ts'
import { provePossession } from './operations/provePossession.ts'
import { publicKeys } from './operations/publicKeys.ts'
import { quote } from './operations/quote.ts'
import { registerRecipient } from './operations/registerRecipient.ts'
import { sealBlob } from './operations/sealBlob.ts'
import { sealFor } from './operations/sealFor.ts'
import { signTransaction } from './operations/signTransaction.ts'
import { tagCaller, tagRecipients } from './operations/tag.ts'
import type { Enclave } from './port.ts'
import type { Room } from './room.ts'
import { rpcWitnesses } from './settlement/rpcWitnesses.ts'
import type { Disagreement, Witnesses } from './settlement/witnesses.ts'

export type EnclaveOptions = {
  /** 32 bytes each, the newest first; see `readOrCreateRoots`. */
  roots: Roots
  chains: readonly EnclaveChain[]
  /** Whether a stealth key leaves only against a fresh challenge: true unless `AUTH_MODE` is `compat`. */
  requireChallenge?: boolean
  /** Default: the chains' own endpoints. */
  witnesses?: Witnesses
  /** Default: the chains' own endpoints. */
  contractSigners?: ContractSigners
  /** Told when the chains' endpoints contradict each other. */
  onDisagreement?: (disagreement: Disagreement) => void
  /** Threads that open many blobs at once, for recovery. Default 0: the calling thread does. */
  openers?: number
  /** Default: the fastest that this machine has. */
  ecies?: Ecies
  /** Unix seconds; default: the machine's clock. */
  now?: () => number
}

type Operations = {
  [Name in OperationName]: (
    room: Room,
    request: CheckedRequest<Name>,
  ) => ResponseOf<Name> | Promise<ResponseOf<Name>>
}

const WORK: Operations = {
  publicKeys,
  openBundle,
  sealBlob,
  openBlob,
  openBlobs,
  sealFor,
  attestSettlement,
  signTransaction,
  provePossession,
  registerRecipient,
  tagRecipients,
  tagCaller,
  deriveStealth,
  findStealths,
  openTickets,
  exportStealthKey,
  quote,
}

/**
 * The enclave in this process. Requests are checked as if they came over a socket; whatever goes
 * wrong inside comes out as an EnclaveError, stripped of anything that could be secret.
 *
 * @returns the port, and which ECIES it works with (for the log)
 */
export async function createEnclave(
  options: EnclaveOptions,
): Promise<Enclave & { readonly implementation: Ecies['implementation'] }> {
  const ecies = options.ecies ?? (await loadEcies())
  const room: Room = {
    keyring: openKeyring(options.roots),
    ecies,
    openers: options.openers ? createOpeners(options.roots, options.openers) : null,
    chains: new Map(options.chains.map((chain) => [chain.chainId, chain])),
    witnesses: options.witnesses ?? rpcWitnesses(options.chains, options.onDisagreement),
    contractSigners: options.contractSigners ?? rpcContractSigners(options.chains),
    requireChallenge: options.requireChallenge ?? true,
    now: options.now ?? (() => Math.floor(Date.now() / 1000)),
  }
  const names = Object.keys(WORK) as OperationName[]
  const operations = names.map((name) => [
    name,
    (request: unknown = {}) => perform(room, name, request),
  ])
  return { ...Object.fromEntries(operations), implementation: ecies.implementation }
}

async function perform(room: Room, name: OperationName, request: unknown): Promise<unknown> {
  const checked = OPERATIONS[name].request.safeParse(request)
  if (!checked.success) {
    throw new EnclaveError('REQUEST_INVALID', placeOf(checked.error.issues[0]?.path ?? []))
  }
  try {
    const work = WORK[name] as (room: Room, request: unknown) => unknown
    return await work(room, checked.data)
  } catch (error) {
    // Anything else may quote what it failed on.
    throw error instanceof EnclaveError ? error : new EnclaveError('ENCLAVE_FAILED')
  }
}

/** Names of our own fields and positions only: a key of metadata is somebody's own word. */
function placeOf([first, second]: readonly PropertyKey[]): string | undefined {
  if (first === undefined) return undefined
  return typeof second === 'number' ? `${String(first)}.${second}` : String(first)
}
