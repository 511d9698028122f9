import {
  PROOF_FORMAT,
  PROOF_VERSION,
  type ProofDocument,
} from '../../../core/proof/proofDocument.ts'
import { verifyIntentProof } from '../../../core/proof/verifyIntentProof.ts'
import { CursorError } from '../../../services/store/database/paginationCursor.ts'
import {
  type EventPlace,
  listEvents,
  placeOfEvent,
} from '../../../services/store/events/listEvents.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import { isVaultEvent } from '../../../src/event/eventFields.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { chainsToRead, type ReadContext } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'
import {
  createProofBudget,
  type EventProver,
  type ProofBudget,
  type ProvableChain,
  ReceiptsTooLargeError,
} from './eventProver.ts'

type ProofRequest = {
  intentId: bigint
  /** Needed only when two chains have the id. */
  sourceChainId?: number | undefined
  /** Maximum number of events. */
  limit: number
  /** Only events after this position. */
  after: EventPlace | null
  /** The client that is charged. */
  client: string
}

/** Reads of the index. */
export type ProofReads = {
  /** The intent's key. Throws if no chain has it, or several. */
  find(intentId: bigint, sourceChainId?: number): Promise<IntentKey>
  /** The intent's events after a position, by time. */
  eventsOf(intent: IntentKey, after: EventPlace | null, limit: number): Promise<EventRow[]>
  /** `BridgeDeployed` of a chain's bridge; null if the index starts after it. */
  deploymentOf(chainId: number): Promise<EventRow | null>
}

export function proofReads(reads: ReadContext): ProofReads {
  return {
    async find(intentId, sourceChainId) {
      const now = await chainsToRead(reads)
      return (await requireIntent(reads, now, { intentId, sourceChainId })).source
    },
    eventsOf: (intent, after, limit) =>
      listEvents(reads.db, {
        filter: { intent },
        direction: 'asc',
        limit,
        ...(after !== null && { after }),
      }),
    async deploymentOf(chainId) {
      const filter = { chainId, type: 'BridgeDeployed' as const }
      const [row] = await listEvents(reads.db, { filter, direction: 'asc', limit: 1 })
      return row ?? null
    },
  }
}

/** Makes a page of an intent's proof, verified as a whole. */
export type IntentProofBuilder = (request: ProofRequest) => Promise<ProofDocument>

/** Proofs of indexed intents. Throws what `EventProver` and `ProofReads` throw. */
export function createIntentProofBuilder(parts: {
  reads: ProofReads
  prove: EventProver
  chains: readonly ProvableChain[]
  /** Of each client. Default: 64 blocks at once, 2 a second. */
  budget?: ProofBudget
}): IntentProofBuilder {
  const { reads, prove, chains } = parts
  const { budget = createProofBudget({ burst: 64, perSecond: 2 }) } = parts
  return async ({ intentId, sourceChainId, limit, after, client }) => {
    const intent = await reads.find(intentId, sourceChainId)
    const [found, deployment] = await Promise.all([
      reads.eventsOf(intent, after, limit + 1),
      reads.deploymentOf(intent.sourceChainId),
    ])
    const charge = budget(client)
    const [first = null] = deployment === null ? [] : await prove([deployment], charge)
    for (let most = Math.min(found.length, limit); ; most = Math.ceil(most / 2)) {
      const rows = found.slice(0, most)
      const last = found.length > most ? rows.at(-1) : undefined
      // Proofs cover bridges' events only, not those of the order whose tranche the intent may be.
      const ofBridges = rows.filter(({ type }) => !isVaultEvent(type))
      const events = await prove(ofBridges, charge).catch((error: unknown) => {
        if (error instanceof ReceiptsTooLargeError) return null
        throw error
      })
      // A shorter page.
      if (events === null) continue
      const document: ProofDocument = {
        format: PROOF_FORMAT,
        version: PROOF_VERSION,
        intentId: String(intentId),
        sourceChainId: intent.sourceChainId,
        bridges: chains.map(({ chainId, name, bridge }) => ({ chainId, name, address: bridge })),
        deployment: first,
        events,
        page: {
          after: after && writeCursor(after),
          next: last === undefined ? null : writeCursor(placeOfEvent(last)),
        },
      }
      await verifyIntentProof([document])
      return document
    }
  }
}

/** A position as a cursor: `time.chain.block.log`. */
function writeCursor({ blockTimestamp, chainId, blockNumber, logIndex }: EventPlace): string {
  return [blockTimestamp, chainId, blockNumber, logIndex].join('.')
}

/** A cursor's position. @throws CursorError for what isn't a cursor */
export function readCursor(text: string): EventPlace {
  if (!/^\d{1,15}(?:\.\d{1,15}){2}\.\d{1,9}$/.test(text)) throw new CursorError()
  const parts = text.split('.').map(Number) as [number, number, number, number]
  const [blockTimestamp, chainId, blockNumber, logIndex] = parts
  return { blockTimestamp, chainId, blockNumber, logIndex }
}
