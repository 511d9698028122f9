import { sql } from 'kysely'
import type { PublicClient } from 'viem'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { findDepositConfirmations } from '../../../core/settlement/requiredConfirmations.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { loadIntents } from '../../store/intents/intentLookup.ts'
import { revealRecipients } from '../settlement/revealRecipients.ts'
import type { Signing } from '../settlement/signingContext.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** Settlements that are examined, newest first, and how many of them in one pass: each costs the enclaves a reveal. */
const LATEST = 100
const IN_A_PASS = 10

/** Passes in which a delivery must be missing: a reorg may move it. */
const NEEDED = 2

/** Intents that the problem names. */
const SHOWN = 5

/** A destination: its bridge, and a client of each of its nodes. */
type Destination = Pick<ChainConfig, 'bridge'> & {
  nodes: readonly Pick<PublicClient, 'getBlock' | 'readContract'>[]
}

type SettlementWatch = {
  db: Db
  signing: Signing
  chain: Pick<ChainConfig, 'chainId' | 'name' | 'confirmations' | 'tokens'>
  /** By chain id. */
  destinations: ReadonlyMap<number, Destination>
}

type Settled = { id: bigint; depositBlock: number; head: number }

/**
 * Creates a check of the settlements that others sent: whether the winner has paid the recipients whom our enclaves reveal.
 * Whoever has stolen a quorum of attestation keys can settle what it wins without delivering, and every status would say
 * `completed`. Each settlement is judged until it is found paid.
 */
export function createSettlementCheck(
  watch: SettlementWatch,
): () => Promise<RelayerProblem | null> {
  const { chain } = watch
  const judged = new Map<bigint, Judgement>()
  return async () => {
    const settled = await findSettledByOthers(watch)
    const ids = new Set(settled.map(({ id }) => id))
    for (const id of judged.keys()) if (!ids.has(id)) judged.delete(id)
    for (const { id } of settled) if (!judged.has(id)) judged.set(id, { unpaid: 0, tries: 0 })
    // Those that can't be judged yet leave room for others.
    const next = settled
      .filter(({ id }) => judged.get(id)?.unpaid !== null)
      .toSorted((one, other) => triesOf(judged, one) - triesOf(judged, other))
      .slice(0, IN_A_PASS)
    const keys = next.map(({ id }) => ({ sourceChainId: chain.chainId, intentId: id }))
    const stored = await loadIntents(watch.db, keys)
    for (const one of next) {
      const { unpaid, tries } = judged.get(one.id) ?? { unpaid: 0, tries: 0 }
      const source = stored.find(({ source }) => source.intentId === one.id)?.source
      const isPaid = source ? await judge(watch, source, one).catch(() => null) : null
      const times = isPaid === null || unpaid === null ? unpaid : unpaid + 1
      judged.set(one.id, { unpaid: isPaid === true ? null : times, tries: tries + 1 })
    }
    const unpaidIds = [...judged].flatMap(([id, { unpaid }]) =>
      (unpaid ?? 0) < NEEDED ? [] : [id],
    )
    return unpaidIds.length === 0 ? null : toProblem(chain, unpaidIds)
  }
}

/** How often a settlement was found unpaid; null: it is paid, or not ours to judge. And how often it was examined. */
type Judgement = { unpaid: number | null; tries: number }

function triesOf(judged: ReadonlyMap<bigint, Judgement>, { id }: Settled): number {
  return judged.get(id)?.tries ?? 0
}

/** The latest settlements that none of our transactions made. */
async function findSettledByOthers({ db, chain }: SettlementWatch): Promise<Settled[]> {
  const { rows } = await sql<{ id: string; depositBlock: number; head: number }>`
    select latest.intent_id::text as id, deposit.block as "depositBlock", clock.block_number as head
    from (
      select e.intent_id, e.transaction_hash from cairn.event e
      where e.chain_id = ${chain.chainId}::bigint and e.type = 'IntentSettled'
      order by e.block_timestamp desc limit ${LATEST}) latest
    join cairn.chain_clock clock on clock.chain_id = ${chain.chainId}::bigint
    cross join lateral (
      select max(d.block_number)::bigint as block from cairn.event d
      where d.chain_id = ${chain.chainId}::bigint and d.source_chain_id = ${chain.chainId}::bigint
        and d.intent_id = latest.intent_id and d.type = 'SolverDeposited') deposit
    where deposit.block is not null and not exists (
      select from app.transaction t where t.tx_hash = latest.transaction_hash and t.kind = 'settle')`.execute(
    db,
  )
  return rows.map(({ id, ...rest }) => ({ ...rest, id: BigInt(id) }))
}

/** Whether the settled delivery paid the revealed recipients in time, by any node; null while unknown. */
async function judge(
  { signing, chain, destinations }: SettlementWatch,
  source: SourceFacts,
  { depositBlock: from, head }: Settled,
): Promise<boolean | null> {
  const destination = destinations.get(source.destChainId)
  const { chain2IntentId, settledAt } = source
  if (destination === undefined || chain2IntentId === null || settledAt === null) return null
  const depth = findDepositConfirmations(chain, source)
  const revealed = await revealRecipients(signing, source, { from, head, depth }).catch(othersOnly)
  if (revealed === 'others') return true
  if (revealed.is === 'early') return null
  const { deliveryKey } = revealed.reveal.answer
  // A node that is wrong raises no false alarm while another one shows the delivery.
  const answers = await Promise.allSettled(
    destination.nodes.map(async (node) => {
      const { number: blockNumber, timestamp } = await node.getBlock()
      // It can't have the delivery yet, such as after an outage.
      if (Number(timestamp) < settledAt) return null
      const [sequence, solvedAt] = await node.readContract({
        address: destination.bridge as Hex,
        abi: bridgeIntentV2Abi,
        functionName: 'deliveryAt',
        args: [deliveryKey],
        blockNumber,
      })
      return isSettled(source, sequence, Number(solvedAt))
    }),
  )
  const known = answers.map((one) => (one.status === 'fulfilled' ? one.value : null))
  return known.includes(true) || (known.includes(false) ? false : null)
}

/** Whether a settlement names this delivery, made in time. */
function isSettled(
  { destChainId, chain2IntentId, fillDeadline }: SourceFacts,
  sequence: bigint,
  solvedAt: number,
): boolean {
  const isNamed = sequence > 0n && packIntentId(destChainId, sequence) === chain2IntentId
  return isNamed && solvedAt < (fillDeadline ?? 0)
}

/** Another relayer's enclaves hold the recipients: it is theirs to judge. */
function othersOnly(error: unknown): 'others' {
  const codes = ['KEY_MISSING', 'RECIPIENTS_UNKNOWN', 'NO_SEALING_KEY']
  if (error instanceof EnclaveError && codes.includes(error.code)) return 'others'
  throw error
}

function toProblem(
  { chainId, name }: SettlementWatch['chain'],
  ids: readonly bigint[],
): RelayerProblem {
  const shown = ids.slice(0, SHOWN).join(', ')
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} others` : ''
  return {
    chainId,
    code: 'SETTLED_UNPAID',
    cause: `on ${name}, intents were settled although their winners haven’t paid their recipients (${shown}${more}): attestation keys are stolen, or the destination’s nodes are wrong`,
    fix: 'ask another node for the deliveries; if there are none, revoke the keys that signed the settlements at once (docs/enclave.md#after-a-theft)',
  }
}
