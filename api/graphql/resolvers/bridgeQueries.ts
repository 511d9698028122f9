import { listBridges } from '../../../services/store/chains/listBridges.ts'
import { listEscrow } from '../../../services/store/chains/listEscrow.ts'
import type { ChainState } from '../../../services/store/chains/readChainStates.ts'
import { readStateHashes } from '../../../services/store/chains/readStateHashes.ts'
import { lastEventBlocks } from '../../../services/store/events/loadEvents.ts'
import type { EscrowRow } from '../../../src/projection/rowTypes.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { bridgeId, escrowId } from '../objectIds.ts'
import { chainFields } from './solverFields.ts'

type ChainArguments = { chainId?: number | null }

/** Fields of `Query` about bridges and the index. */
export const bridgeQueries = {
  escrow: ({ chainId }: ChainArguments, { db }: GraphqlContext) =>
    listEscrow(db, chainId ?? undefined),
  bridges: ({ chainId }: ChainArguments, { db }: GraphqlContext) =>
    listBridges(db, chainId ?? undefined),
  _meta: async (_: unknown, context: GraphqlContext) => ({
    isReady: context.chains.ready.length > 0,
    chains: () => chainsMeta(context),
  }),
}

/** Fields of `Escrow` that aren't columns of its row. */
export const escrowFields = {
  ...chainFields,
  id: escrowId,
  total: ({ open, stakes, credits, deliveryCredits, fees }: EscrowRow) =>
    open + stakes + credits + deliveryCredits + fees,
}

/** Fields of `Bridge` that aren't columns of its row. */
export const bridgeFields = { ...chainFields, id: bridgeId }

async function chainsMeta({ db, chains, readBlock }: GraphqlContext) {
  const newest = await lastEventBlocks(
    db,
    chains.ready.map(({ chainId }) => chainId),
  )
  const events = new Map(newest.map((block) => [block.chainId, block]))
  // One statement for all chains, and only if the field is selected.
  let reading: ReturnType<typeof readStateHashes> | null = null
  const stateOf = async (id: number) => {
    reading ??= readStateHashes(db)
    return (await reading).find(({ chainId }) => chainId === id) ?? null
  }
  const ready = chains.ready.map((chain) => {
    const newest = events.get(chain.chainId)
    return {
      ...readyMeta(chain),
      blockHash: async () => (await readBlock(chain.chainId, chain.head.blockNumber))?.hash ?? null,
      lastEventBlock: newest?.blockNumber ?? null,
      lastEventBlockHash: newest?.blockHash ?? null,
      stateHash: async () => (await stateOf(chain.chainId))?.stateHash ?? null,
      stateHashBlock: async () => (await stateOf(chain.chainId))?.block.number ?? null,
    }
  })
  const backfilling = chains.backfilling.map(({ chainId, name, progress }) => {
    return { chainId, chain: name, state: 'backfilling', progress }
  })
  return [...ready, ...backfilling].sort((a, b) => a.chainId - b.chainId)
}

function readyMeta({ chainId, name, state, head }: ChainState) {
  return {
    chainId,
    chain: name,
    state,
    progress: 1,
    block: head.blockNumber,
    blockTimestamp: head.timestamp,
    // The only field that depends on the wall clock.
    lagSeconds: Math.max(0, Math.floor(Date.now() / 1_000) - head.timestamp),
    safeBlock: head.safeBlock,
    finalizedBlock: head.finalizedBlock,
  }
}
