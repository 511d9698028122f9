import type { Logger } from 'pino'
import type { TransferEvent } from './transferContext.ts'

/** Every log line about the Safes' transfers: chains and blocks, never a Safe or an amount. */
export function logTransfers(log: Logger): (event: TransferEvent) => void {
  return (event) => {
    if (event.type === 'rewound') {
      const { chainId, to } = event
      return log.info({ chainId, to }, 'transfers are read again: the chain was reorganised')
    }
    const { chainId, problem, detail } = event
    return log.warn({ chainId, detail }, `transfers can’t be followed: ${problem}`)
  }
}
