import { erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNodeClients } from '../../../services/chain/chainClient.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createSettlementCheck } from '../../../services/relayer/reconciler/findFalseSettlement.ts'
import { findUnseenWinner } from '../../../services/relayer/reconciler/findUnseenWinner.ts'
import { effectName, subjectOf } from '../../../services/relayer/reconciler/reconcilerEffect.ts'
import { createSigning } from '../../../services/relayer/settlement/signingContext.ts'
import {
  type Offer,
  type RelayerRig,
  startRelayerRig,
} from '../../integration/reactions/relayerRig.ts'
import { attestedCalls } from '../../rig/attestedCalls.ts'
import { describeAnchorFloods } from './describeAnchorFloods.ts'

/** Writing our rows, or feeding the index, must not move money. */
let rig: RelayerRig
let thief: `0x${string}`
beforeAll(async () => {
  rig = await startRelayerRig({ mode: 'compat' })
  thief = rig.base.senders[2]?.address as `0x${string}`
}, 300_000)
afterAll(() => rig?.stop())

async function isAnchored({ id }: Offer) {
  return ((await rig.stored(id))?.source.feeBps ?? null) !== null
}

/** The thief's balance of the delivered token. */
function stolen(): Promise<bigint> {
  return rig.horizen.client.readContract({
    address: rig.horizen.contracts.tokens.ZEN,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [thief],
  })
}

/** Bids for an intent alone, and deposits. */
async function win(offer: Offer): Promise<void> {
  await rig.play.bid(offer.id)
  await rig.endAuctions([offer])
  await rig.play.deposit(offer.id)
}

/** Settles an intent by a delivery to those whom the sender named: any other delivery would have another key. */
async function settleAsNamed(offer: Offer): Promise<void> {
  await win(offer)
  await rig.deliver(offer)
  await rig.until(async () => (await rig.phase(offer.id)) === 'completed', 'settled')
}

/** The schema of a chain's projected tables, as an identifier. */
async function schemaOf({ chainId }: { chainId: number }): Promise<string> {
  const { rows } = await rig.client.query(
    'select schema_name from app.projection where active and chain_id = $1',
    [chainId],
  )
  return rig.client.escapeIdentifier(rows[0].schema_name)
}

/** What the relayer's records about a won intent name. */
async function depositOf({ id }: Offer): Promise<{ paramsHash: Hex; depositBlock: number }> {
  const { rows } = await rig.client.query(
    `select max(block_number) as block from cairn.event where intent_id = $1 and type = 'SolverDeposited'`,
    [String(id)],
  )
  const { paramsHash } = (await rig.stored(id))!.source
  return { paramsHash, depositBlock: Number(rows[0].block) }
}

/** A blob for the intent that pays the thief, sealed by the enclave as it would for anybody. */
async function thievesBlob({ id, amounts }: Offer): Promise<Buffer> {
  const source = (await rig.stored(id))?.source
  if (!source) throw new Error('the intent is not indexed')
  const { blob } = await rig.enclave.sealBlob({
    sourceChainId: source.sourceChainId,
    intentId: id,
    user: source.sender,
    bridge: rig.base.contracts.bridge,
    paramsHash: source.paramsHash,
    createdAt: 1,
    recipients: [thief],
    amounts: [amounts[0] as bigint],
    n: 1_000,
    salt: `0x${'00'.repeat(32)}`,
  })
  return Buffer.from(blob.slice(2), 'hex')
}

describe('a forged row in the relayer’s database', () => {
  it('a forged bundle redirects no intent whose sender has signed: the enclave signs nothing for it', async () => {
    const [offer, had] = [await rig.create(), await stolen()]
    await rig.until(async () => (await rig.stored(offer.id)) !== null, 'indexed')
    await rig.client.query(
      `insert into app.bundle (source_chain_id, intent_id, params_hash, n, is_signed, sealed, stored_at)
       select source_chain_id, intent_id, decode(substr(params_hash, 3), 'hex'), 1000, true, $2, 1
       from cairn.intent where intent_id = $1`,
      [String(offer.id), await thievesBlob(offer)],
    )
    const reactions = await rig.startReactions()
    const hasTried = async () => {
      const { rows } = await rig.client.query(
        `select from app.reaction where intent_id = $1 and state in ('refused', 'done')`,
        [String(offer.id)],
      )
      return rows.length > 0
    }
    await rig.until(hasTried, 'the relayer has tried')
    await rig.client.query('delete from app.bundle')
    await rig.until(() => isAnchored(offer), 'anchored')
    await settleAsNamed(offer)
    expect(await stolen()).toBe(had)
    await reactions.stop()
  })

  it('a forged blob in the index doesn’t change what is revealed, because blobs are proven', async () => {
    const reactions = await rig.startReactions()
    const [offer, had] = [await rig.create(), await stolen()]
    await rig.until(() => isAnchored(offer), 'anchored')
    const schema = await schemaOf(rig.base)
    const blob = `0x${(await thievesBlob(offer)).toString('hex')}`
    await rig.client.query(
      `update ${schema}.event set args = args || jsonb_build_object('encryptedBlob', $2::text)
       where intent_id = $1 and type = 'IntentCreated'`,
      [String(offer.id), blob],
    )
    await settleAsNamed(offer)
    expect(await stolen()).toBe(had)
    await reactions.stop()
  })

  it('forged rows can’t keep a winner from its payment: the settlement is retried whatever they say', async () => {
    const reactions = await rig.startReactions()
    const offer = await rig.create()
    await rig.until(() => isAnchored(offer), 'anchored')
    await win(offer)
    await reactions.stop()
    await rig.deliver(offer)
    const hasDelivery = async () => (await rig.stored(offer.id))?.deliveries.length === 1
    await rig.until(hasDelivery, 'the delivery is indexed')
    const key = { sourceChainId: rig.base.chainId, intentId: offer.id }
    const { deliveries } = (await rig.stored(offer.id))!
    const effect = { kind: 'settle', ...(await depositOf(offer)), deliveries } as const
    // Left behind an hour ago by somebody who has gone: refused, requested by another account, and false evidence.
    await rig.client.query(
      `insert into app.reaction (kind, source_chain_id, intent_id, state, reason, subject, tried_at, next_try_at)
       values ('settle', $1, $2, 'refused', 'NOT_DELIVERED', $3, now() - interval '61 minutes', 'infinity')
       on conflict (kind, source_chain_id, intent_id) do update set state = excluded.state,
         reason = excluded.reason, subject = excluded.subject, tried_at = excluded.tried_at,
         next_try_at = excluded.next_try_at`,
      [key.sourceChainId, String(offer.id), subjectOf(effect)],
    )
    await rig.client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, state, changed_at)
       values ('settle', $1, $2, $3, $3, '0x', 'sent', now() - interval '61 minutes')`,
      [key.sourceChainId, effectName(offer.id, effect), thief.toLowerCase()],
    )
    await rig.client.query(
      `insert into app.evidence (chain_id, subject, block_number, document, fetched_at)
       values ($1, 'intent:' || $2, 1, '{"blockNumber": 1}', 'infinity')
       on conflict (chain_id, subject) do update set document = excluded.document`,
      [key.sourceChainId, String(offer.id)],
    )
    const others = await rig.startReactions()
    await rig.until(async () => (await rig.phase(offer.id)) === 'completed', 'settled')
    await others.stop()
  })

  it('a delivery deleted from the index costs its winner nothing: after the deadline, the enclaves find it on chain', async () => {
    const reactions = await rig.startReactions()
    const offer = await rig.create()
    await rig.until(() => isAnchored(offer), 'anchored')
    await win(offer)
    await reactions.stop()
    await rig.deliver(offer)
    const deliveries = async () => (await rig.stored(offer.id))?.deliveries.length
    await rig.until(async () => (await deliveries()) === 1, 'the delivery is indexed')
    const schema = await schemaOf(rig.horizen)
    const id = String(offer.id)
    await rig.client.query(`delete from ${schema}.delivery where intent_id = $1`, [id])
    expect(await deliveries()).toBe(0)
    // Left behind an hour ago, for the relayer not to look at the chain again.
    await rig.client.query(
      `insert into app.reaction (kind, source_chain_id, intent_id, state, reason, subject, tried_at, next_try_at)
       values ('undelivered', $1, $2, 'refused', 'DELIVERED', $3, now() - interval '61 minutes', 'infinity')`,
      [rig.base.chainId, id, subjectOf({ kind: 'undelivered', ...(await depositOf(offer)) })],
    )
    await rig.play.letDeadlinePass()
    const others = await rig.startReactions()
    await rig.until(async () => (await rig.phase(offer.id)) === 'completed', 'settled')
    await others.stop()
  })

  it('a winner is reported once it should have been paid, if its intent’s row says that it has ended', async () => {
    const reactions = await rig.startReactions()
    const offer = await rig.create()
    await rig.until(() => isAnchored(offer), 'anchored')
    await win(offer)
    await rig.until(async () => (await rig.phase(offer.id)) === 'deposited', 'deposited')
    await reactions.stop()
    await rig.play.letDeadlinePass()
    await rig.base.client.increaseTime({ seconds: 901 })
    await rig.base.client.mine({ blocks: 1 })
    const [base] = rig.configs as [ChainConfig]
    const find = () => findUnseenWinner(rig.database.db, base, rig.base.client)
    expect(await find()).toBeNull()
    const schema = await schemaOf(rig.base)
    const write = (value: string) =>
      rig.client.query(`update ${schema}.intent set ${value} where intent_id = $1`, [
        String(offer.id),
      ])
    await write(`phase = 'completed'`)
    const others = await rig.startReactions({ problemsEveryMs: 100 })
    const problems = () => others.status().problems?.map(({ code }) => code) ?? []
    await rig.until(() => problems().includes('WINNER_UNSEEN'), 'it is named')
    await others.stop()
    await write(`phase = 'deposited', fill_deadline = fill_deadline + 1000000`)
    expect(await find()).toMatchObject({ code: 'WINNER_UNSEEN' })
    await write('fill_deadline = fill_deadline - 1000000')
    expect(await find()).toBeNull()
  })

  it('whoever steals attestation keys and settles what it won without paying is named; an honest settlement isn’t', async () => {
    const reactions = await rig.startReactions()
    const offers = await Promise.all([rig.create(), rig.create({ by: 1 })])
    const later = await rig.create({ by: 2 })
    const [honest, unpaid] = offers
    for (const offer of [...offers, later]) await rig.until(() => isAnchored(offer), 'anchored')
    for (const { id } of [...offers, later]) await rig.play.bid(id)
    await reactions.stop()
    await rig.endAuctions([...offers, later])
    for (const { id } of [...offers, later]) await rig.play.deposit(id)
    const [base, horizen] = rig.configs as [ChainConfig, ChainConfig]
    // One of the nodes doesn't answer.
    const rpcUrls = ['http://127.0.0.1:9', ...horizen.rpcUrls]
    const nodes = createNodeClients({ ...horizen, rpcUrls }, 5_000)
    const destinations = new Map([[horizen.chainId, { ...horizen, nodes }]])
    const signing = createSigning(rig.database.db, rig.configs, rig.enclaves)
    const watch = { db: rig.database.db, signing, chain: base }
    const check = createSettlementCheck({ ...watch, destinations }, 1)
    /** Has the destination's clock pass the source's: its nodes can't be behind the settlement any more. */
    const passSettlement = async () => {
      const [{ timestamp }, latest] = await Promise.all([
        rig.base.client.getBlock(),
        rig.horizen.client.getBlock(),
      ])
      if (latest.timestamp <= timestamp)
        await rig.horizen.client.setNextBlockTimestamp({ timestamp: timestamp + 1n })
      await rig.horizen.client.mine({ blocks: 1 })
    }
    const settle = async (id: bigint, chain2IntentId: bigint) => {
      const data = await attestedCalls(rig.base).settle(id, chain2IntentId)
      await rig.base.relayer.execute({ to: rig.base.contracts.bridge, data })
      await rig.until(async () => (await rig.phase(id)) === 'completed', 'settled')
      await passSettlement()
    }
    const before = await rig.horizen.client.getBlock()
    await rig.deliver(honest)
    await settle(honest.id, rig.lastDelivery())
    for (let times = 0; times < 3; times++) expect(await check()).toBeNull()
    // One that never answers isn't waited for.
    const silent = { getBlock: () => new Promise(() => {}) } as never
    const hanging = new Map([[horizen.chainId, { ...horizen, nodes: [silent, ...nodes] }]])
    const checkHanging = createSettlementCheck({ ...watch, destinations: hanging })
    expect(await checkHanging()).toBeNull()
    // On a successor of the bridge that it was made on.
    const successor = `0x${'b5'.repeat(20)}` as const
    const code = await rig.horizen.client.getCode({ address: horizen.bridge })
    await rig.horizen.client.setCode({ address: successor, bytecode: code! })
    const moved = new Map([[horizen.chainId, { ...horizen, bridge: successor, nodes }]])
    const checkMoved = createSettlementCheck({ ...watch, destinations: moved })
    await rig.client.query(
      `insert into app.recovery (chain_id, bridge, next_block, former_bridges) values ($1, $2, 1, $3)
       on conflict (chain_id) do update set former_bridges = excluded.former_bridges`,
      [horizen.chainId, successor, [thief.toLowerCase(), horizen.bridge.toLowerCase()]],
    )
    for (let times = 0; times < 3; times++) expect(await checkMoved()).toBeNull()
    await rig.client.query(`update app.recovery set former_bridges = '{}'`)
    // The only node is behind, then shows the latest block without the delivery, and is right in the end.
    let isBehind = true
    let isWrong = true
    const node = {
      getBlock: async () => (isBehind ? before : rig.horizen.client.getBlock()),
      readContract: async (call: object) =>
        rig.horizen.client.readContract({
          ...call,
          ...(isWrong && { blockNumber: before.number }),
        } as never),
    } as never
    const other = new Map([[horizen.chainId, { ...horizen, nodes: [node] }]])
    const checkThere = createSettlementCheck({ ...watch, destinations: other })
    for (let times = 0; times < 3; times++) expect(await checkThere()).toBeNull()
    isBehind = false
    await rig.until(async () => (await checkThere()) !== null, 'the honest one is named')
    isWrong = false
    expect(await checkThere()).toBeNull()

    await settle(unpaid.id, (BigInt(horizen.chainId) << 64n) | 999_999n)
    await rig.until(async () => (await check()) !== null, 'it is named')
    const named = { code: 'SETTLED_UNPAID', cause: expect.stringContaining(String(unpaid.id)) }
    expect(await check()).toMatchObject(named)

    // To itself, for the right amount: its event shows a valid delivery.
    await rig.play.settle(later.id, await rig.play.deliver(later.id))
    await rig.until(async () => (await rig.phase(later.id)) === 'completed', 'settled')
    await passSettlement()
    // However many come after it.
    for (let times = 0; times < 3; times++) expect(await check()).toMatchObject(named)
    const others = await rig.startReactions({ problemsEveryMs: 100 })
    const isNamed = () =>
      others
        .status()
        .problems?.some(
          ({ code, cause }) => code === 'SETTLED_UNPAID' && cause.includes(String(later.id)),
        ) ?? false
    await rig.until(isNamed, 'the role names the latest')
    await others.stop()
  })

  it('a forged row registers nobody: without the enclave’s ticket, a wallet is paid directly', async () => {
    const reactions = await rig.startReactions()
    const offer = await rig.create()
    const [recipientAddress] = offer.recipients as [`0x${string}`]
    const { tags } = await rig.enclave.tagRecipients({ recipients: [{ recipientAddress }] })
    for (const [tag] of tags) {
      await rig.client.query(
        `insert into app.recipient (tag, spend_pub_key, view_pub_key, ticket)
         values (decode($1, 'hex'), $2, $2, $3)`,
        [tag?.slice(2), Buffer.alloc(65, 4), Buffer.alloc(56, 7)],
      )
    }
    await rig.until(() => isAnchored(offer), 'anchored')
    expect((await rig.stored(offer.id))?.source.feeBps).toBe(250)
    await win(offer)
    await rig.deliver(offer)
    await rig.until(async () => (await rig.phase(offer.id)) === 'completed', 'settled')
    await reactions.stop()
  })
})

describeAnchorFloods(() => rig)
