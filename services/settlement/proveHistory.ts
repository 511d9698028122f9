import { sql } from 'kysely'
import { fetchBlock } from '../../api/relayer/proof/fetchBlock.ts'
import { proveEvents } from '../../api/relayer/proof/proveEvents.ts'
import type { EventProof } from '../../core/proof/proofDocument.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Delivery, SourceFacts } from '../../src/intent/facts.ts'
import type { EventRow } from '../../src/projection/rows.ts'
import { askChain } from '../chain/askChain.ts'
import type { ChainConfig } from '../config/chains.ts'
import { MOST_APPENDED } from '../enclave/settlement/recipientsNamed.ts'
import { selectList } from '../store/columns.ts'
import type { Db } from '../store/database.ts'

/** Proofs of everything that an attestation of this delivery rests on. Rejects when none can be made. */
export type ProveHistory = (source: SourceFacts, delivery: Delivery) => Promise<EventProof[]>

/** Proves events from the chains' own nodes; where one doesn't give what hashes right, the next is asked. */
export function historyProver(db: Db, chains: readonly ChainConfig[]): ProveHistory {
  const asked = new Map(
    chains.map((chain) => [chain.chainId, { chain, nodes: chain.rpcUrls.map(askChain) }]),
  )

  async function proveBlock(rows: [EventRow, ...EventRow[]]): Promise<EventProof[]> {
    const [{ chainId }] = rows
    const known = asked.get(chainId)
    if (!known) throw new Error(`chain ${chainId} is not configured`)
    const bridge = known.chain.bridge.toLowerCase() as Hex
    let problem: unknown
    for (const ask of known.nodes) {
      try {
        return await proveEvents(await fetchBlock(ask, rows[0]), rows, bridge)
      } catch (error) {
        problem = error
      }
    }
    throw problem
  }

  return async (source, delivery) => {
    const rows = await loadHistory(db, source, delivery)
    const blocks = Map.groupBy(rows, ({ chainId, blockHash }) => `${chainId} ${blockHash}`)
    const proofs = await Promise.all(
      [...blocks.values()].map((block) => proveBlock(block as [EventRow, ...EventRow[]])),
    )
    return proofs.flat()
  }
}

/** The events that an attestation needs: see `SettlementHistory` in the enclave. */
async function loadHistory(
  db: Db,
  { sourceChainId, intentId, solver, destChainId }: SourceFacts,
  { chain2IntentId }: Delivery,
): Promise<EventRow[]> {
  const ofIntent = sql`e.source_chain_id = ${sourceChainId}::bigint
    and e.intent_id = ${String(intentId)}::numeric`
  const { rows } = await sql<EventRow>`
    select ${sql.raw(selectList('event', 'e'))} from cairn.event e where ${ofIntent} and (
      e.chain_id = ${sourceChainId}::bigint
        and e.type in ('IntentCreated', 'IntentAnchored', 'SolverDeposited')
      or e.chain_id = ${destChainId}::bigint and e.type = 'IntentSolved'
        and e.args ->> 'solver' = ${solver}
        and e.args ->> 'chain2IntentId' = ${String(chain2IntentId)})
    union all
    (select ${sql.raw(selectList('event', 'e'))} from cairn.event e
     where ${ofIntent} and e.chain_id = ${sourceChainId}::bigint and e.type = 'BlobAppended'
       and (e.block_number, e.log_index) < (
         select d.block_number, d.log_index from cairn.event d
         where d.source_chain_id = e.source_chain_id and d.intent_id = e.intent_id
           and d.type = 'SolverDeposited' limit 1)
     order by e.block_number desc, e.log_index desc limit ${MOST_APPENDED})`.execute(db)
  return rows
}
