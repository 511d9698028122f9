import { randomBytes } from 'node:crypto'
import { erc20Abi, zeroHash } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { shareSurplus } from '../../../core/money/shareSurplus.ts'
import { computeDeliveryKey } from '../../../core/proof/storage/deliveryRecord.ts'
import { findDeliverySlot } from '../../../core/proof/storage/storageSlots.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import { requestNode } from '../../rig/requestNode.ts'
import { describeHealthProblems } from './describeHealthProblems.ts'
import { describeReactionRoutes } from './describeReactionRoutes.ts'
import { insertFalseDelivery } from './insertFalseDelivery.ts'
import { startLyingRpc } from './lyingRpc.ts'
import {
  closeTestbed,
  depositAsWinner,
  endReactions,
  isAnchored,
  isIn,
  openTestbed,
  rig,
  startReactions,
  transactionsOf,
} from './reactionsTestbed.ts'
import { type Offer, TEST_ROOT, testEnclave, trust } from './relayerRig.ts'
import { startKilledReactions } from './startKilledReactions.ts'

/** `npm run test:chaos:moments` asks for 200. */
const SETTLEMENTS = Number(process.env.CHAOS_SETTLEMENTS ?? 10)
const BATCH = 10
/** Seconds: a busy machine has anchored a batch by then. */
const LONG_AUCTION = 600

beforeAll(openTestbed, 300_000)
afterAll(closeTestbed)
afterEach(endReactions)

async function reactionOf(id: bigint, kind: string) {
  const { rows } = await rig.client.query(
    'select state, reason, attempts from app.reaction where intent_id = $1 and kind = $2',
    [String(id), kind],
  )
  return rows[0]
}

/** How many successful calls of the bridge the relayer's account made about an intent. */
async function eventsAbout(id: bigint, type: string): Promise<number> {
  const { rows } = await rig.client.query(
    'select count(*)::int as count from cairn.event where intent_id = $1 and type = $2',
    [String(id), type],
  )
  return rows[0].count
}

describe('the reactions', () => {
  it('complete an intent with recipients in its creation', async () => {
    await startReactions()
    const offer = await rig.create()
    await depositAsWinner(offer)
    await rig.deliver(offer)
    await rig.until(isIn('completed', offer), 'settled')
    expect((await rig.stored(offer.id))?.source).toMatchObject({ feeBps: 250, blobCount: 1 })
    for (const [at, recipient] of offer.recipients.entries()) {
      const paid = await rig.horizen.client.readContract({
        address: rig.horizen.contracts.tokens.ZEN,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [recipient],
      })
      expect(paid).toBeGreaterThanOrEqual(offer.amounts[at] as bigint)
    }
    const kinds = (await transactionsOf(offer.id)).map(({ kind }) => kind)
    expect(kinds).toEqual(['anchor', 'settle'])
  })

  it('anchor stored recipients and append later ones, once', async () => {
    await startReactions()
    const offer = await rig.create({ blob: false, recipients: 1 })
    await rig.store(offer)
    // Nobody has signed for it: others have a third of the auction, 20 s at most, to say otherwise.
    await rig.until(
      async () => (await reactionOf(offer.id, 'anchor')) !== undefined,
      'it is desired',
    )
    expect(await reactionOf(offer.id, 'anchor')).toMatchObject({ reason: 'TOO_EARLY' })
    await rig.base.client.increaseTime({ seconds: 20 })
    await rig.until(() => isAnchored(offer.id), 'anchored')
    await rig.describe(offer, { metadata: { purpose: 'rent' }, viewers: [] })
    await rig.until(async () => (await eventsAbout(offer.id, 'BlobAppended')) > 0, 'appended')
    await rig.until(async () => (await reactionOf(offer.id, 'append'))?.state === 'done', 'noted')
    expect(await eventsAbout(offer.id, 'BlobAppended')).toBe(1)
    await rig.play.cancel(offer.id)
  })

  it('refund a sender when nobody else does', async () => {
    await startReactions({ refundAfter: 30 })
    const offer = await rig.create()
    await rig.until(() => isAnchored(offer.id), 'anchored')
    await rig.play.endAuction()
    const { source } = (await rig.stored(offer.id)) ?? {}
    const hasEnded = async () => {
      const { rows } = await rig.client.query(
        'select timestamp >= $2 as ended from cairn.chain_clock where chain_id = $1',
        [rig.base.chainId, source?.endTime],
      )
      return rows[0].ended
    }
    await rig.until(hasEnded, 'the index knows that the auction is over')
    expect(await transactionsOf(offer.id)).toHaveLength(1)
    await rig.base.client.increaseTime({ seconds: 30 })
    await rig.until(isIn('expired', offer), 'refunded')
  })

  it('never settle a delivery that did not pay the recipients, and then refund the sender', async () => {
    const { events } = await startReactions({ refundAfter: 0 })
    const offer = await rig.create()
    await depositAsWinner(offer)
    const mine = rig.base.senders[1]?.address as `0x${string}`
    await rig.deliver(offer, (them) => them.map(() => mine))
    const refused = async () => (await reactionOf(offer.id, 'settle'))?.state === 'refused'
    await rig.until(refused, 'refused')
    expect(await reactionOf(offer.id, 'settle')).toMatchObject({ reason: 'NOT_DELIVERED' })
    expect(events.filter((one) => 'kind' in one && one.kind === 'settle')).toHaveLength(1)
    // At once, by the enclave's word, and not after the grace.
    await rig.play.letDeadlinePass()
    await rig.until(isIn('failed', offer), 'refunded')
    const kinds = (await transactionsOf(offer.id)).map(({ kind }) => kind)
    expect(kinds).toEqual(['anchor', 'undelivered'])
  })

  it('keep nothing by which guesses at recipients who weren’t paid could be checked without end', async () => {
    const rpc = await startFaultyRpc(rig.horizen.node.rpc)
    onTestFinished(() => rpc.close())
    // A node without old state: what it proves is kept until its block is deep enough.
    rpc.inject(({ method, params }) =>
      method === 'eth_getProof' && params[2] !== 'latest'
        ? { error: { code: -32000, message: 'missing trie node' } }
        : undefined,
    )
    const [base, horizen] = rig.configs as [(typeof rig.configs)[0], (typeof rig.configs)[0]]
    const chains = [base, { ...horizen, rpcUrls: [rpc.url] }]
    await startReactions({ chains, refundAfter: 100_000 })
    const offer = await rig.create({ recipients: 1 })
    await depositAsWinner(offer)
    const mine = rig.base.senders[1]?.address as `0x${string}`
    await rig.deliver(offer, () => [mine])
    const refused = async () => (await reactionOf(offer.id, 'settle'))?.reason === 'NOT_DELIVERED'
    await rig.until(refused, 'refused')
    await rig.play.letDeadlinePass()
    await rig.until(isIn('failed', offer), 'refunded')
    // A delivery's key is a hash of public facts and of its recipients.
    const { source } = (await rig.stored(offer.id))!
    const { sourceChainId, intentId, paramsHash, tokenB } = source
    const key = computeDeliveryKey({
      ...{ sourceChainId, intentId, paramsHash, tokenB, solver: source.solver! },
      recipients: offer.recipients,
      amounts: shareSurplus(offer.amounts, source.winningAmountB!),
    })
    const { rows } = await rig.client.query('select e::text as row from app.evidence e')
    const kept = rows.map(({ row }) => row).join()
    for (const hash of [key, findDeliverySlot(key)]) expect(kept).not.toContain(hash.slice(2))
    const asked = rpc.calls.filter(({ method }) => method === 'eth_getProof')
    expect(JSON.stringify(asked)).toContain(findDeliverySlot(key))
  })

  it('refund at the deadline what a rogue key anchored for nobody, since no enclave can settle it', async () => {
    const id = await rig.play.create()
    const { blob } = await rig.enclave.sealBlob({
      sourceChainId: rig.base.chainId,
      bridge: rig.base.contracts.bridge,
      user: rig.base.senders[2]!.address,
      paramsHash: zeroHash,
      n: 0,
      salt: zeroHash,
      recipients: [rig.base.senders[2]!.address],
      amounts: [1n],
      createdAt: 1,
    })
    await rig.play.anchor(id, { blob })
    await rig.play.bid(id)
    await rig.play.endAuction()
    await rig.play.deposit(id)
    await startReactions({ refundAfter: 100_000 })
    await rig.play.letDeadlinePass()
    await rig.until(async () => (await eventsAbout(id, 'IntentRefunded')) > 0, 'refunded')
    expect((await transactionsOf(id)).map(({ kind }) => kind)).toEqual(['undelivered'])
  })

  it(
    'settle each once, in two instances on one database that lose their jobs',
    async () => {
      await Promise.all([startReactions(), startReactions()])
      for (let left = SETTLEMENTS; left > 0; left -= BATCH) {
        const offers: Offer[] = []
        while (offers.length < Math.min(BATCH, left))
          offers.push(await rig.create({ recipients: 1, auction: LONG_AUCTION }))
        await depositAsWinner(...offers)
        for (const [at, offer] of offers.entries()) {
          await rig.deliver(offer)
          if (at % 3 === 0) await rig.client.query('delete from graphile_worker._private_jobs')
        }
        await rig.until(isIn('completed', ...offers), 'all settled')
        for (const { id } of offers) {
          expect(await eventsAbout(id, 'IntentSettled')).toBe(1)
          expect(await transactionsOf(id)).toEqual([
            expect.objectContaining({ kind: 'anchor', round: 0 }),
            expect.objectContaining({ kind: 'settle', round: 0 }),
          ])
        }
      }
    },
    120_000 + SETTLEMENTS * 5_000,
  )

  it('resume within ten seconds what a killed instance had begun', async () => {
    // It stays open however many blocks are mined until another process has loaded.
    const offer = await rig.create({ auction: LONG_AUCTION })
    const mortal = await startKilledReactions(rig)
    await rig.until(() => mortal.hasBegun(), 'it has begun and hangs')
    await mortal.kill()
    await startReactions()
    const anchoring = async (id: bigint) => {
      const began = performance.now()
      await rig.until(() => isAnchored(id), 'anchored')
      return performance.now() - began
    }
    const again = await anchoring(offer.id)
    const other = await rig.create({ auction: LONG_AUCTION })
    // Besides the time that this machine needs for any intent.
    expect(again - (await anchoring(other.id))).toBeLessThan(10_000)
    for (const { id } of [offer, other]) await rig.play.cancel(id).catch(() => {})
  })

  it.each([
    ['an old block as its latest', 0],
    ['a latest block that nobody has', 1_000],
    ['a latest block whose number is beyond an enclave’s', 2 ** 60],
  ])('anchor although the first node shows %s', async (_, ahead) => {
    const [base, horizen] = rig.configs as [(typeof rig.configs)[0], (typeof rig.configs)[0]]
    const { rpc } = rig.base.node
    const ask = requestNode(rpc)
    const old = `0x${(await rig.base.client.getBlockNumber()).toString(16)}`
    const liar = await startFaultyRpc(rpc)
    onTestFinished(() => liar.close())
    liar.inject(({ method, params }) => {
      const isHead = method === 'eth_getProof' || method === 'eth_getBlockByNumber'
      if (!isHead || !params.includes('latest')) return undefined
      if (ahead > 0) return method === 'eth_getProof' ? undefined : { change: raised(ahead) }
      let shown: unknown
      const hold = ask(
        method,
        params.map((one) => (one === 'latest' ? old : one)),
      ).then((answer) => {
        shown = answer
      })
      return { hold, change: () => shown }
    })
    const chains = [{ ...base, rpcUrls: [liar.url, rpc] }, horizen]
    await startReactions({ chains })
    const offer = await rig.create()
    await rig.until(() => isAnchored(offer.id), 'anchored')
    await rig.play.cancel(offer.id).catch(() => {})
  })

  it('never settle on the word of one of two providers', async () => {
    const { reactions } = await startReactions()
    const offer = await rig.create()
    await depositAsWinner(offer)
    await rig.until(isIn('deposited', offer), 'the deposit is indexed')
    await reactions.stop()
    const { source } = (await rig.stored(offer.id)) ?? {}
    const sent = await rig.horizen.senders[1]?.execute({ to: rig.relayer, data: '0x' })
    const solver = source?.solver as `0x${string}`
    const lie = {
      bridge: rig.horizen.contracts.bridge,
      sourceChainId: rig.base.chainId,
      solver,
      intentId: offer.id,
      chain2IntentId: (BigInt(rig.horizen.chainId) << 64n) + 999n,
      paramsHash: source?.paramsHash as `0x${string}`,
      tokenB: rig.horizen.contracts.tokens.ZEN,
      payments: [
        { to: offer.recipients[0] as `0x${string}`, amount: source?.winningAmountB ?? 0n },
      ],
    }
    const liar = await startLyingRpc(rig.horizen.node.rpc, Number(sent?.blockNumber), lie)
    await insertFalseDelivery(rig.client, rig.horizen.chainId, lie, liar.block)
    const [base, horizen] = rig.configs as [(typeof rig.configs)[0], (typeof rig.configs)[0]]
    for (const rpcUrls of [
      [liar.url, rig.horizen.node.rpc],
      [rig.horizen.node.rpc, liar.url],
    ]) {
      const chains = [base, { ...horizen, rpcUrls }]
      await rig.client.query('delete from app.reaction')
      const enclave = await testEnclave(chains, 'compat')
      const { events } = await startReactions({ chains, enclave, enclaves: [enclave] })
      const tries = () => events.filter((one) => 'kind' in one && one.kind === 'settle')
      await rig.until(() => tries().length >= 1, 'tried')
      for (const one of tries()) {
        expect(one).not.toMatchObject({ outcome: { is: 'under-way' } })
      }
      await endReactions()
    }
    expect(await eventsAbout(offer.id, 'IntentSettled')).toBe(0)
    expect((await transactionsOf(offer.id)).map(({ kind }) => kind)).toEqual(['anchor'])
    await liar.close()
  })

  it('end correctly after reorgs that remove a settlement, and then the deposit', async () => {
    await startReactions()
    const offer = await rig.create()
    await depositAsWinner(offer)
    const depositBlock = await rig.base.client.getBlockNumber()
    await rig.deliver(offer)
    await rig.until(isIn('completed', offer), 'settled')
    const depth = async () => Number((await rig.base.client.getBlockNumber()) - depositBlock)
    const settledIn = async () => {
      const { rows } = await rig.client.query(
        `select block_hash from cairn.event where intent_id = $1 and type = 'IntentSettled'`,
        [String(offer.id)],
      )
      return rows.map(({ block_hash }) => block_hash).join()
    }
    const removed = await settledIn()
    await reorg((await depth()) - 1)
    // The index may show for a moment only that it isn't settled.
    const isAgain = async () => ![removed, ''].includes(await settledIn())
    await rig.until(isAgain, 'settled again')
    await reorg((await depth()) + 1)
    await rig.until(isIn('bidding', offer), 'the deposit is gone')
    await rig.play.deposit(offer.id)
    await rig.until(isIn('completed', offer), 'settled once more')
    expect(await eventsAbout(offer.id, 'IntentSettled')).toBe(1)
  })

  it('do not pay for a delivery a reorg removed while the settlement waited', async () => {
    await startReactions()
    const offer = await rig.create()
    await depositAsWinner(offer)
    const balance = await rig.base.client.getBalance({ address: rig.relayer })
    const giveBack = () => rig.base.client.setBalance({ address: rig.relayer, value: balance })
    onTestFinished(giveBack)
    await rig.base.client.setBalance({ address: rig.relayer, value: 1n })
    const before = await rig.horizen.client.getBlockNumber()
    await rig.deliver(offer)
    const settlement = async () =>
      (await transactionsOf(offer.id)).find(({ kind }) => kind === 'settle')
    await rig.until(async () => (await settlement())?.state === 'chosen', 'the settlement waits')
    const depth = Number((await rig.horizen.client.getBlockNumber()) - before)
    await reorg(depth, rig.horizen)
    const isGone = async () => (await rig.stored(offer.id))?.deliveries.length === 0
    await rig.until(isGone, 'the delivery is gone')
    await giveBack()
    await rig.until(async () => (await settlement())?.state === 'failed', 'it is given up')
    expect(await rig.phase(offer.id)).toBe('deposited')
    await rig.deliver(offer)
    await rig.until(isIn('completed', offer), 'settled after all')
  })

  it('do what the gas account of an earlier root left undone, once no sender of it runs', async () => {
    const before = await startReactions()
    await rig.base.client.setBalance({ address: rig.relayer, value: 1n })
    const offer = await rig.create({ auction: LONG_AUCTION })
    const anchor = async () => (await transactionsOf(offer.id))[0]
    await rig.until(async () => (await anchor())?.state === 'chosen', 'the anchor waits for gas')
    const rotated = await testEnclave(rig.configs, 'compat', [randomBytes(32), TEST_ROOT])
    onTestFinished(async () => {
      await rig.base.client.setBalance({ address: rig.relayer, value: 10n ** 20n })
      await rig.client.query('delete from app.enclave_binding')
    })
    for (const chain of [rig.base, rig.horizen]) await trust(chain, rotated)
    const after = await startReactions({ enclave: rotated, enclaves: [rotated] })
    const leads = () => after.reactions.status().senders.every(({ isLeading }) => isLeading)
    await rig.until(leads, 'both send')
    expect(await anchor()).toMatchObject({ state: 'chosen', round: 0 })
    await before.reactions.stop()
    await rig.client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, state, succeeded, problem)
       select kind, $1, effect, $2, $2, '0x', state, succeeded, problem
       from (values ('bid', 'a solver’s', 'sent', null, null),
         ('deploySafe', 'cancelled', 'mined', false, 'CANCELLED'),
         ('deploySafe', 'done', 'mined', true, null),
         ('deploySafe', 'pending', 'sent', null, null),
         ('deploySafe', 'reverted', 'mined', false, null)) as row (kind, effect, state, succeeded, problem)`,
      [rig.base.chainId, rig.relayer.toLowerCase()],
    )
    await rig.until(() => isAnchored(offer.id), 'anchored')
    const ends = async () => {
      const { rows } = await rig.client.query(
        `select array_agg(concat_ws(' ', effect, state, problem) order by effect) as ends
         from app.transaction where kind in ('deploySafe', 'bid')`,
      )
      return rows[0].ends
    }
    await rig.until(async () => (await ends())[3] !== 'pending sent', 'ended')
    expect(await ends()).toEqual([
      'a solver’s sent',
      'cancelled failed CANCELLED',
      'done confirmed',
      'pending failed FORMER_ACCOUNT',
      'reverted failed FORMER_ACCOUNT',
    ])
    await rig.client.query(`delete from app.transaction where kind = 'bid'`)
    await rig.play.cancel(offer.id)
  })
})

describeReactionRoutes()
describeHealthProblems()

const raised = (by: number) => (block: unknown) => {
  const { number } = block as { number: string }
  return { ...(block as object), number: `0x${(Number(number) + by).toString(16)}` }
}

function reorg(depth: number, chain = rig.base): Promise<unknown> {
  return chain.client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
}

it.runIf(SETTLEMENTS > 10)('the reactions continue after a database restart', async () => {
  const { reactions } = await startReactions()
  await rig.postgres.restart()
  rig.client = await rig.postgres.connect()
  const offer = await rig.create()
  await rig.until(() => isAnchored(offer.id).catch(() => false), 'anchored')
  const leads = () => reactions.status().senders.every(({ isLeading }) => isLeading)
  await rig.until(leads, 'it sends on both chains')
  await rig.play.cancel(offer.id)
})
