import type { PlacedReceipt } from '../../../core/proof/parseRpcReceipt.ts'
import type { EventProof } from '../../../core/proof/proofDocument.ts'
import { ProofError } from '../../../core/proof/proofError.ts'
import { proveBlockReceipts } from '../../../core/proof/proveBlockReceipts.ts'
import { verifyEventProof } from '../../../core/proof/verifyEventProof.ts'
import type { FetchedBlock } from '../../../services/chain/proof/fetchBlock.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { argsToJson } from '../../../src/event/eventArgsJson.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'

/**
 * Proves indexed events of a block, and verifies each proof as its reader will.
 *
 * @throws ProofError if the block doesn't contain exactly these events
 */
export async function proveBlockEvents(
  block: FetchedBlock,
  rows: readonly [EventRow, ...EventRow[]],
  bridge: Hex,
): Promise<EventProof[]> {
  const positions = rows.map((row) => positionOf(row, block.receipts))
  const hash = rows[0].blockHash
  const proofs = await proveBlockReceipts(
    { hash, header: block.header },
    block.receipts,
    positions.map(({ transactionIndex }) => transactionIndex),
  )
  return Promise.all(
    rows.map(async (row, index) => {
      const { logPosition } = positions[index]!
      const proof: EventProof = {
        type: row.type,
        chainId: row.chainId,
        blockHash: hash,
        header: block.header,
        ...proofs[index]!,
        logPosition,
        claimed: {
          logIndex: row.logIndex,
          transactionHash: row.transactionHash,
          transactionFrom: row.transactionFrom,
        },
      }
      await verifyAgainstRow(proof, row, bridge)
      return proof
    }),
  )
}

/** The position of the row's log in the block's receipts. Logs are numbered across all of them. */
function positionOf(
  row: EventRow,
  receipts: readonly PlacedReceipt[],
): { transactionIndex: number; logPosition: number } {
  const own = receipts.find(({ transactionHash }) => transactionHash === row.transactionHash)
  if (own === undefined) {
    throw new ProofError('RECEIPTS_INCOMPLETE', `no receipt of ${row.transactionHash}`)
  }
  const { transactionIndex } = own
  const logsBefore = receipts
    .filter((receipt) => receipt.transactionIndex < transactionIndex)
    .reduce((sum, receipt) => sum + receipt.logs.length, 0)
  const logPosition = row.logIndex - logsBefore
  if (logPosition < 0 || logPosition >= own.logs.length) {
    throw new ProofError('LOG_MISSING', `log ${row.logIndex} is not of ${row.transactionHash}`)
  }
  return { transactionIndex, logPosition }
}

async function verifyAgainstRow(proof: EventProof, row: EventRow, bridge: Hex): Promise<void> {
  const { event } = await verifyEventProof(proof, bridge)
  const proven = argsToJson(event.type, event.args as never)
  for (const [name, value] of Object.entries(proven)) {
    if (row.args[name] !== value) {
      throw new ProofError('EVENT_MISMATCH', `the index has another ${row.type}.${name}`)
    }
  }
}
