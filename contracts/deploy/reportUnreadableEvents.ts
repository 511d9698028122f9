import { BaseError } from 'viem'
import type { Finding } from './checkChainDeployment.ts'

/** Returns what `read` finds in events; if the node can't return them, that is the finding. */
export async function reportUnreadableEvents(
  { contract, event, fromBlock }: { contract: string; event: string; fromBlock: bigint },
  read: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await read()
  } catch (error) {
    const actual = error instanceof BaseError ? error.shortMessage : String(error)
    return [
      { contract, what: `${event} events`, expected: `readable from block ${fromBlock}`, actual },
    ]
  }
}
