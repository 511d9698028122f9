import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { OperatorError } from '../../config/operatorError.ts'
import { findLostChains } from './findLostChains.ts'
import type { RecoveringEnclave } from './recoverChain.ts'
import { recoverDatabase } from './recoverDatabase.ts'
import { describeCertificate } from './recoveryCertificate.ts'

type RecoverIfLostOptions = {
  databaseUrl: string
  chains: readonly ChainConfig[]
  enclave: RecoveringEnclave
  log: Pick<Logger, 'info' | 'warn'>
  /** Milliseconds after which the caller continues while recovery keeps running. Default 20,000. */
  timeoutMs?: number
  /** Milliseconds between attempts to read a chain. Default 30,000. */
  retryMs?: number
}

/**
 * Recovers each chain that was never recovered into this database. For an empty one, that is every chain, and
 * costs one pass over its logs. An unreadable chain is retried until it can be read, and nothing else waits for it.
 *
 * @returns when everything is recovered or time is up; `stop` ends the attempts
 */
export async function recoverIfLost(
  options: RecoverIfLostOptions,
): Promise<{ stop(): Promise<void> }> {
  const { databaseUrl, chains, timeoutMs = 20_000 } = options
  const stopping = new AbortController()
  const lost = await findLostChains(databaseUrl, chains)
  const recovering = Promise.all(
    lost.map((chain) => recoverUntilDone(chain, options, stopping.signal)),
  )
  await Promise.race([recovering, pause(timeoutMs, stopping.signal)])
  return {
    stop: async () => {
      stopping.abort()
      await Promise.race([recovering, pause(1_000)])
    },
  }
}

async function recoverUntilDone(
  chain: ChainConfig,
  { databaseUrl, enclave, log, retryMs = 30_000 }: RecoverIfLostOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const [certificate] = await recoverDatabase({ databaseUrl, chains: [chain], enclave })
      const { count = 0, missing = 0 } = certificate?.intents ?? {}
      if (certificate === undefined || count + missing === 0) return
      const level = missing > 0 ? 'warn' : 'info'
      log[level]({ chain: chain.name }, `recovered\n${describeCertificate(certificate)}`)
      return
    } catch (error) {
      if (signal.aborted) return
      const why = error instanceof OperatorError ? { reason: error.message } : { err: error }
      log.warn({ chain: chain.name, ...why }, 'the chain can’t be recovered yet')
      await pause(retryMs, signal)
    }
  }
}

async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const options = { ref: false, ...(signal && { signal }) }
  await setTimeout(milliseconds, undefined, options).catch(() => {})
}
