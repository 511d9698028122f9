import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { isDevelopmentChain } from '../../core/chain/developmentChains.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { OperatorError } from '../config/operatorError.ts'
import { createDevelopmentQuoter } from './attestation/attestationQuoter.ts'
import { measureForDevelopment } from './attestation/measuredConfiguration.ts'
import { createEnclave } from './createEnclave.ts'
import { type EnclaveChain, type Mode, toEnclaveChains } from './enclaveChain.ts'
import type { Enclave } from './enclaveInterface.ts'
import { type Roots, readOrCreateRoots, writeRoots } from './keys/rootFile.ts'
import { createFileStorage } from './keys/sealedStorage.ts'
import { serveEnclave } from './socket/serveEnclave.ts'

type StartEnclaveOptions = {
  /** Created if missing. */
  rootFile: string
  /** Folder of the enclave's own keys, which it writes; default: the root file's. */
  keyFolder?: string | undefined
  chains: readonly ChainConfig[]
  /** Mode of chains that don't set their own: `AUTH_MODE`. */
  mode: Mode
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Signs evidence in development, 32 bytes; without it no verifier accepts the enclave's evidence. */
  quotingKey?: Hex | undefined
  /** Whether it waits for another enclave's root if it has no file, instead of creating one. */
  awaitsRoot?: boolean | undefined
  /** Threads that decrypt many blobs in parallel. Default 0. */
  decryptionThreads?: number
}

/** The enclave's configuration isn't strict enough for its chains. */
class EnclaveConfigurationError extends OperatorError {
  override readonly name = 'EnclaveConfigurationError'
}

/**
 * Starts an enclave in this process, with the roots in the root file.
 *
 * @throws RootFileError, SealedStorageError or EnclaveConfigurationError when the files or the configuration can't be
 *   used
 */
export async function startEnclave(options: StartEnclaveOptions): Promise<Enclave> {
  const { rootFile, mode, log, decryptionThreads = 0, quotingKey } = options
  const { keyFolder = dirname(rootFile) } = options
  const chains = toEnclaveChains(options.chains, mode)
  for (const chain of chains) requireStrictSettings(chain)
  const roots = loadRoots(options)
  const measurement = measureForDevelopment(chains)
  const { implementation, ...enclave } = await createEnclave({
    roots,
    chains,
    decryptionThreads,
    storage: createFileStorage(keyFolder),
    ...(quotingKey && { quoter: createDevelopmentQuoter(measurement, quotingKey) }),
    saveRoots: async (given) => writeRoots(rootFile, given),
    onDisagreement: (disagreement) => {
      log.error(
        disagreement,
        'RPC providers contradict each other: there is a reorg, or one of them is wrong',
      )
    },
  })
  if (roots.length === 0) {
    const request = await enclave.requestRoot()
    log.warn({ ...request, measurement }, 'waiting for another enclave’s root')
  } else {
    const { keyId, attester, relayer, previousKeyIds } = await enclave.publicKeys()
    log.info({ keyId, previousKeyIds, attester, relayer, measurement }, 'keys loaded')
  }
  if (implementation === 'eciesjs') {
    log.warn(
      'no native build of secp256k1 for this machine: opening blobs is a hundred times slower',
    )
  }
  return enclave
}

/** `startEnclave`, served on a Unix socket until it is stopped. */
export async function startEnclaveServer(
  options: StartEnclaveOptions & { socket: string },
): Promise<{ enclave: Enclave; stop(): Promise<void> }> {
  const enclave = await startEnclave(options)
  const chainIds = options.chains.map(({ chainId }) => chainId)
  const served = await serveEnclave(enclave, options.socket, chainIds)
  options.log.info({ socket: served.path }, 'serving')
  return { enclave, stop: () => served.stop() }
}

function loadRoots({ rootFile, awaitsRoot, log }: StartEnclaveOptions): Roots | [] {
  if (awaitsRoot && !existsSync(rootFile)) return []
  const { roots, created } = readOrCreateRoots(rootFile)
  if (created) log.warn({ rootFile }, 'created a new root secret: keep a copy of its file')
  return roots
}

/** With real money, a single provider or unchecked code at the bridge's address is not enough. */
function requireStrictSettings({ chainId, agreeing, bridgeCodeHash }: EnclaveChain): void {
  if (isDevelopmentChain(chainId)) return
  if (agreeing < 2) {
    throw new EnclaveConfigurationError(
      `chain ${chainId} needs at least two agreeing providers of different operators: add some to rpcUrls, or raise agreeingWitnesses`,
    )
  }
  if (bridgeCodeHash === undefined) {
    throw new EnclaveConfigurationError(
      `chain ${chainId} needs bridgeCodeHash, keccak256 of the bridge's code, which npm run check:deployment prints`,
    )
  }
}
