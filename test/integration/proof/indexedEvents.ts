import { NotFoundError } from '../../../api/http/apiError.ts'
import type { ProofReads } from '../../../api/rest/proof/intentProofBuilder.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { decodeContractLog } from '../../../src/event/decodeContractLog.ts'
import { toEventRow } from '../../../src/projection/eventRow.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import type { BridgeChain } from '../indexer/bridgePair.ts'

/** Every event of bridges and vaults, read from the nodes: rows as the index writes them, without a database. */
export async function readRows(chains: readonly BridgeChain[]): Promise<EventRow[]> {
  return (await Promise.all(chains.map(rowsOf))).flat().toSorted(byTime)
}

/** The reads that a proof needs, over these rows. */
export function readsOver(rows: readonly EventRow[]): ProofReads {
  return {
    find: async (intentId) => {
      const created = rows.find((row) => row.type === 'IntentCreated' && row.intentId === intentId)
      if (created === undefined)
        throw new NotFoundError('no intent has this id', 'INTENT_NOT_FOUND')
      return { sourceChainId: created.sourceChainId!, intentId }
    },
    eventsOf: async ({ intentId, sourceChainId }, after, limit) =>
      rows
        .filter((row) => row.intentId === intentId && row.sourceChainId === sourceChainId)
        .filter((row) => after === null || byTime(row, after) > 0)
        .slice(0, limit),
    deploymentOf: async (chainId) =>
      rows.find((row) => row.type === 'BridgeDeployed' && row.chainId === chainId) ?? null,
  }
}

type Place = Pick<EventRow, 'blockTimestamp' | 'chainId' | 'blockNumber' | 'logIndex'>

function byTime(a: Place, b: Place): number {
  return (
    a.blockTimestamp - b.blockTimestamp ||
    a.chainId - b.chainId ||
    a.blockNumber - b.blockNumber ||
    a.logIndex - b.logIndex
  )
}

async function rowsOf({ client, chainId, config }: BridgeChain): Promise<EventRow[]> {
  const address = [config.bridge, ...(config.vault ? [config.vault] : [])]
  const logs = await client.getLogs({ address, fromBlock: 0n })
  const rows = await Promise.all(
    logs.map(async (log) => {
      const [block, transaction] = await Promise.all([
        client.getBlock({ blockHash: log.blockHash }),
        client.getTransaction({ hash: log.transactionHash }),
      ])
      const event = decodeContractLog(config, log as never, {
        chainId,
        blockNumber: Number(log.blockNumber),
        blockHash: log.blockHash,
        blockTimestamp: Number(block.timestamp),
        logIndex: log.logIndex,
        transactionHash: log.transactionHash,
        transactionFrom: transaction.from.toLowerCase() as Hex,
      })
      return event === null ? [] : [toEventRow(event)]
    }),
  )
  return rows.flat()
}
