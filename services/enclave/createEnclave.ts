import { generatePrivateKey } from 'viem/accounts'
import { describePlace } from '../../core/recipientBundle/parseSenderJson.ts'
import {
  type ContractSignatureCheck,
  createContractSignatureCheck,
} from './accounts/contractSignatureCheck.ts'
import { type AttestationQuoter, createDevelopmentQuoter } from './attestation/attestationQuoter.ts'
import { measureConfiguration, measureForDevelopment } from './attestation/measuredConfiguration.ts'
import { createDecryptionPool } from './decryption/decryptionPool.ts'
import type { Ecies } from './ecies/eciesInterface.ts'
import { loadEcies } from './ecies/loadEcies.ts'
import type { EnclaveChain } from './enclaveChain.ts'
import { EnclaveError } from './enclaveError.ts'
import type { Enclave } from './enclaveInterface.ts'
import { openAttesterKeys } from './keys/attesterKeys.ts'
import { openKeyring } from './keys/keyring.ts'
import type { Roots } from './keys/rootFile.ts'
import { createMemoryStorage, type SealedStorage } from './keys/sealedStorage.ts'
import type { OperationContext } from './operationContext.ts'
import { OPERATIONS, type OperationName } from './operationSchemas.ts'
import { OPERATION_HANDLERS } from './operations/operationHandlers.ts'
import { createAgreedBlocks } from './providers/agreedBlocks.ts'
import type { Disagreement } from './providers/requireAgreement.ts'
import {
  createShortestAuctionReader,
  type ShortestAuction,
} from './providers/shortestAuctionReader.ts'

export type EnclaveOptions = {
  /** 32 bytes each, newest first; see `readOrCreateRoots`. Empty: it waits for another enclave's. */
  roots: Roots | []
  chains: readonly EnclaveChain[]
  /** Where the attestation key is stored. Default: nowhere, so that each enclave has a new one. */
  storage?: SealedStorage
  /** Stores roots received from another enclave. */
  saveRoots?: (roots: Roots) => Promise<void>
  /** Default: the development quoter, with a random key. */
  quoter?: AttestationQuoter
  /** Default: the chains' own endpoints. */
  isContractSignature?: ContractSignatureCheck
  /** Default: the chains' own endpoints. */
  shortestAuction?: ShortestAuction
  /** Called when a chain's endpoints contradict each other. */
  onDisagreement?: (disagreement: Disagreement) => void
  /** Threads that decrypt many blobs in parallel, for recovery. Default 0: the calling thread does it. */
  decryptionThreads?: number
  /** Default: the fastest one available. */
  ecies?: Ecies
  /** Unix seconds; default: the machine's clock. */
  now?: () => number
}

/**
 * Creates an enclave in this process. Requests are validated as if they came over a socket; every internal failure
 * becomes an EnclaveError, without anything that could be secret.
 *
 * @returns the enclave, and which ECIES implementation it uses (for the log)
 */
export async function createEnclave(
  options: EnclaveOptions,
): Promise<Enclave & { readonly implementation: Ecies['implementation'] }> {
  const context = await createContext(options)
  const names = Object.keys(OPERATION_HANDLERS) as OperationName[]
  const operations = names.map((name) => [
    name,
    (request: unknown = {}) => perform(context, name, request),
  ])
  return { ...Object.fromEntries(operations), implementation: context.ecies.implementation }
}

async function createContext(options: EnclaveOptions): Promise<OperationContext> {
  const { chains, roots, onDisagreement, saveRoots = async () => {} } = options
  let keyring = hasRoots(roots) ? openKeyring(roots) : null
  const measurement = measureForDevelopment(chains)
  return {
    get keyring() {
      if (keyring === null) throw new EnclaveError('NO_ROOT')
      return keyring
    },
    get hasRoot() {
      return keyring !== null
    },
    attester: await openAttesterKeys(options.storage ?? createMemoryStorage()),
    ecies: options.ecies ?? (await loadEcies()),
    decryptionPool:
      options.decryptionThreads && hasRoots(roots)
        ? createDecryptionPool(roots, options.decryptionThreads)
        : null,
    chains: new Map(chains.map((chain) => [chain.chainId, chain])),
    configuration: measureConfiguration(chains),
    quoter: options.quoter ?? createDevelopmentQuoter(measurement, generatePrivateKey()),
    blocks: createAgreedBlocks(onDisagreement),
    isContractSignature:
      options.isContractSignature ?? createContractSignatureCheck(chains, onDisagreement),
    shortestAuction: options.shortestAuction ?? createShortestAuctionReader(onDisagreement),
    async acceptRoots(accepted) {
      if (keyring !== null) throw new EnclaveError('HANDOVER_REFUSED', 'has a root')
      // Derived before they are saved: unusable roots in the file would break every later start.
      const opened = openKeyring(accepted)
      await saveRoots(accepted)
      keyring = opened
    },
    now: options.now ?? (() => Math.floor(Date.now() / 1000)),
  }
}

function hasRoots(roots: Roots | []): roots is Roots {
  return roots.length > 0
}

async function perform(
  context: OperationContext,
  name: OperationName,
  request: unknown,
): Promise<unknown> {
  const checked = OPERATIONS[name].request.safeParse(request)
  if (!checked.success) {
    throw new EnclaveError('REQUEST_INVALID', describePlace(checked.error.issues[0]?.path ?? []))
  }
  try {
    const work = OPERATION_HANDLERS[name] as (
      context: OperationContext,
      request: unknown,
    ) => unknown
    return await work(context, checked.data)
  } catch (error) {
    // Other errors may quote their input.
    throw error instanceof EnclaveError ? error : new EnclaveError('ENCLAVE_FAILED')
  }
}
