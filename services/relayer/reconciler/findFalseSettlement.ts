import { sql } from 'kysely'
import type { PublicClient } from 'viem'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { findDepositConfirmations } from '../../../core/settlement/requiredConfirmations.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { ifFromOtherContract } from '../../chain/ifFromOtherContract.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import { mapInParallel } from '../../process/mapInParallel.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { loadIntents } from '../../store/intents/intentLookup.ts'
import { revealRecipients } from '../settlement/revealRecipients.ts'
import type { Signing } from '../settlement/signingContext.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** The chain's latest settlements, and how many are judged in one pass: each costs the enclaves a reveal. */
const LATEST = 500
const IN_A_PASS = 10

/** Passes after which an older one that can't be judged is given up. */
const MOST_TRIES = 100

/** Passes in which a delivery must be missing: a reorg may move it. */
const NEEDED = 2

/** Intents that the problem names. */
const SHOWN = 5

type Node = Pick<PublicClient, 'getBlock' | 'readContract'>

/** A destination: its bridge, and a client of each of its nodes. */
type Destination = Pick<ChainConfig, 'bridge'> & { nodes: readonly Node[] }

type SettlementWatch = {
  db: Db
  signing: Signing
  chain: Pick<ChainConfig, 'chainId' | 'name' | 'confirmations' | 'tokens'>
  /** By chain id. */
  destinations: ReadonlyMap<number, Destination>
}

type Settled = { id: bigint; depositBlock: number }

/** How often a settlement was found unpaid; null: it is paid, or not ours to judge. And how often it was examined. */
type Judgement = Settled & { unpaid: number | null; tries: number }

/**
 * Creates a check of the settlements that others sent: whether the winner has paid the recipients whom our enclaves reveal.
 * Whoever has stolen a quorum of attestation keys can settle what it wins without delivering, and every status would say
 * `completed`. Each settlement is judged until it is found paid, however many follow it: the thief can send many.
 *
 * @param newest how many of the latest are looked at
 */
export function createSettlementCheck(
  watch: SettlementWatch,
  newest = LATEST,
): () => Promise<RelayerProblem | null> {
  const { chain, db } = watch
  const judged = new Map<bigint, Judgement>()
  return async () => {
    const latest = new Map((await findSettledByOthers(watch, newest)).map((one) => [one.id, one]))
    for (const [id, one] of latest)
      judged.set(id, { unpaid: 0, tries: 0, ...judged.get(id), ...one })
    for (const [id, { unpaid, tries }] of judged) {
      const isOver = unpaid === null || (unpaid === 0 && tries >= MOST_TRIES)
      if (isOver && !latest.has(id)) judged.delete(id)
    }
    // Those that can't be judged yet leave room for others.
    const next = [...judged.values()]
      .filter(({ unpaid }) => unpaid !== null)
      .toSorted((one, other) => one.tries - other.tries)
      .slice(0, IN_A_PASS)
    if (next.length === 0) return null
    const keys = next.map(({ id }) => ({ sourceChainId: chain.chainId, intentId: id }))
    const [stored, places] = await Promise.all([loadIntents(db, keys), readPlaces(watch)])
    // A silent node delays them all by one time limit only.
    await mapInParallel(next, IN_A_PASS, async (one) => {
      const source = stored.find(({ source }) => source.intentId === one.id)?.source
      if (source?.settledAt == null) {
        // A reorg has removed the settlement.
        judged.delete(one.id)
        return
      }
      const isPaid = await judge(watch, places, source, one).catch(() => null)
      const times = isPaid === null || one.unpaid === null ? one.unpaid : one.unpaid + 1
      judged.set(one.id, { ...one, unpaid: isPaid === true ? null : times, tries: one.tries + 1 })
    })
    const unpaidIds = [...judged].flatMap(([id, { unpaid }]) =>
      (unpaid ?? 0) < NEEDED ? [] : [id],
    )
    return unpaidIds.length === 0 ? null : toProblem(chain, unpaidIds)
  }
}

/** The latest settlements that none of our transactions made. */
async function findSettledByOthers(
  { db, chain }: SettlementWatch,
  newest: number,
): Promise<Settled[]> {
  const { rows } = await sql<{ id: string; depositBlock: number }>`
    select latest.intent_id::text as id, deposit.block as "depositBlock"
    from (
      select e.intent_id, e.transaction_hash from cairn.event e
      where e.chain_id = ${chain.chainId}::bigint and e.type = 'IntentSettled'
      order by e.block_timestamp desc limit ${newest}) latest
    cross join lateral (
      select max(d.block_number)::bigint as block from cairn.event d
      where d.chain_id = ${chain.chainId}::bigint and d.source_chain_id = ${chain.chainId}::bigint
        and d.intent_id = latest.intent_id and d.type = 'SolverDeposited') deposit
    where deposit.block is not null and not exists (
      select from app.transaction t where t.tx_hash = latest.transaction_hash and t.kind = 'settle')`.execute(
    db,
  )
  return rows.map(({ id, depositBlock }) => ({ depositBlock, id: BigInt(id) }))
}

/** The source chain's head, and by destination chain the bridges that it had before: what was delivered there is paid. */
type Places = { head: number; former: ReadonlyMap<number, readonly Hex[]> }

async function readPlaces({ db, chain }: SettlementWatch): Promise<Places> {
  const { rows: heads } = await sql<{ head: number }>`
    select block_number as head from cairn.chain_clock where chain_id = ${chain.chainId}::bigint`.execute(
    db,
  )
  const { rows } = await sql<{ chainId: number; bridges: Hex[] }>`
    select chain_id as "chainId", former_bridges as bridges from app.recovery`.execute(db)
  return {
    head: heads[0]?.head ?? 0,
    former: new Map(rows.map(({ chainId, bridges }) => [chainId, bridges])),
  }
}

/** Whether the settled delivery paid the revealed recipients in time, by any node; null while unknown. */
async function judge(
  { signing, chain, destinations }: SettlementWatch,
  { head, former }: Places,
  source: SourceFacts,
  { depositBlock: from }: Settled,
): Promise<boolean | null> {
  const destination = destinations.get(source.destChainId)
  const { chain2IntentId, settledAt } = source
  if (destination === undefined || chain2IntentId === null || settledAt === null) return null
  const depth = findDepositConfirmations(chain, source)
  const revealed = await revealRecipients(signing, source, { from, head, depth }).catch(othersOnly)
  if (revealed === 'others') return true
  if (revealed.is === 'early') return null
  const { deliveryKey } = revealed.reveal.answer
  const bridges = [destination.bridge, ...(former.get(source.destChainId) ?? [])]
  const answers = destination.nodes.map(async (node) => {
    const { number: blockNumber, timestamp } = await node.getBlock()
    // It can't have the delivery yet, such as after an outage.
    if (Number(timestamp) < settledAt) return null
    const shown = await Promise.all(
      bridges.map((address) => readDelivery(node, { address, deliveryKey, blockNumber })),
    )
    return shown.some((delivery) => isSettled(source, delivery))
  })
  // A node that is wrong raises no false alarm while another one shows the delivery, and a silent one isn't waited for.
  const isShown = await Promise.any(answers.map(async (one) => (await one) || Promise.reject()))
    .then(() => true)
    .catch(() => false)
  if (isShown) return true
  const known = await Promise.all(answers.map((one) => one.catch(() => null)))
  return known.includes(false) ? false : null
}

type Delivery = readonly [sequence: bigint, solvedAt: bigint]

/** A former bridge may have been another contract by mistake: nothing was delivered there. */
function readDelivery(
  node: Node,
  { address, deliveryKey, blockNumber }: { address: Hex; deliveryKey: Hex; blockNumber: bigint },
): Promise<Delivery> {
  const call = { address, abi: bridgeIntentV2Abi, functionName: 'deliveryAt' } as const
  return node
    .readContract({ ...call, args: [deliveryKey], blockNumber })
    .catch(ifFromOtherContract([0n, 0n] as const))
}

/** Whether a settlement names this delivery, made in time. */
function isSettled(
  { destChainId, chain2IntentId, fillDeadline }: SourceFacts,
  [sequence, solvedAt]: Delivery,
): boolean {
  const isNamed = sequence > 0n && packIntentId(destChainId, sequence) === chain2IntentId
  return isNamed && Number(solvedAt) < (fillDeadline ?? 0)
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
    fix: 'ask another node for the deliveries, on the destination’s former bridges too; if there are none, revoke the keys that signed the settlements at once (docs/enclave.md#after-a-theft)',
  }
}
