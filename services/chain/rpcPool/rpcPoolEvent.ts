/** Events of a pool and its proxy. They never contain a URL, which may hold an API key. */
export type RpcPoolEvent =
  | {
      type: 'provider-failed'
      chainId: number
      provider: string
      reason: string
      backoffMs: number
    }
  | { type: 'provider-recovered'; chainId: number; provider: string }
  | { type: 'provider-quarantined'; chainId: number; provider: string; reason: string }
  | { type: 'provider-readmitted'; chainId: number; provider: string }
  | { type: 'all-providers-down'; chainId: number; reason: string }
  | { type: 'serving-last-head'; chainId: number; blockNumber: number }
  | { type: 'providers-back'; chainId: number }

/** Formats an event as one log line. */
export function describeRpcPoolEvent(event: RpcPoolEvent): string {
  switch (event.type) {
    case 'provider-failed':
      return `chain ${event.chainId}: RPC ${event.provider} failed (${event.reason}); backing off for ${event.backoffMs} ms`
    case 'provider-recovered':
      return `chain ${event.chainId}: RPC ${event.provider} answers again`
    case 'provider-quarantined':
      return `chain ${event.chainId}: RPC ${event.provider} is quarantined: ${event.reason}`
    case 'provider-readmitted':
      return `chain ${event.chainId}: RPC ${event.provider} agrees with the others again and is back in use`
    case 'all-providers-down':
      return `chain ${event.chainId}: no RPC provider answers (${event.reason})`
    case 'serving-last-head':
      return `chain ${event.chainId}: no RPC provider answers; repeating head ${event.blockNumber}`
    case 'providers-back':
      return `chain ${event.chainId}: RPC is back`
  }
}

export type ObserveRpcPool = (event: RpcPoolEvent) => void
