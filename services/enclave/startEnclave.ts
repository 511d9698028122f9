import type { Logger } from 'pino'
import type { ChainConfig } from '../config/chains.ts'
import { enclaveChains } from './chains.ts'
import { createEnclave } from './createEnclave.ts'
import { readOrCreateRoots } from './keys/rootFile.ts'
import type { Enclave } from './port.ts'
import { serveEnclave } from './socket/serveEnclave.ts'

export type StartEnclaveOptions = {
  /** Made when it isn't there. */
  rootFile: string
  chains: readonly ChainConfig[]
  /** Whether stealth keys leave against a fresh challenge only: `AUTH_MODE` is `strict`. */
  requireChallenge: boolean
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Threads that open many blobs at once. Default 0. */
  openers?: number
}

/**
 * An enclave in this process, over the root file.
 *
 * @throws RootFileError when the file can't be used
 */
export async function startEnclave(options: StartEnclaveOptions): Promise<Enclave> {
  const { rootFile, chains, requireChallenge, log, openers = 0 } = options
  const { roots, created } = readOrCreateRoots(rootFile)
  if (created) log.warn({ rootFile }, 'made a new root secret: keep a copy of its file')
  const { implementation, ...enclave } = await createEnclave({
    roots,
    chains: enclaveChains(chains),
    requireChallenge,
    openers,
    onDisagreement: (disagreement) => {
      log.error(disagreement, 'RPC providers contradict each other: one of them lies')
    },
  })
  const { keyId, attester, relayer, previousKeyIds } = await enclave.publicKeys()
  log.info({ keyId, previousKeyIds, attester, relayer }, 'the enclave has its keys')
  if (implementation === 'eciesjs') {
    log.warn('no native build of secp256k1 for this machine: blobs open a hundred times slower')
  }
  return enclave
}

/** `startEnclave`, served on a Unix socket until it is stopped. */
export async function startEnclaveServer(
  options: StartEnclaveOptions & { socket: string },
): Promise<{ enclave: Enclave; stop(): Promise<void> }> {
  const enclave = await startEnclave(options)
  const served = await serveEnclave(enclave, options.socket)
  options.log.info({ socket: served.path }, 'serving')
  return { enclave, stop: () => served.stop() }
}
