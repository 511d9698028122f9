import { type ContractFunctionArgs, decodeFunctionData, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import type { Reactions } from '../../../services/relayer/reconciler/startReactions.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { BridgeChain } from '../../integration/indexer/bridgePair.ts'
import { buildHints, startRelayerApi } from '../../integration/reactions/relayerApi.ts'
import {
  type Offer,
  type RelayerRig,
  startRelayerRig,
} from '../../integration/reactions/relayerRig.ts'

type SettleArgs = ContractFunctionArgs<typeof bridgeIntentV2Abi, 'nonpayable', 'settleIntent'>

let rig: RelayerRig
let reactions: Reactions
let api: Awaited<ReturnType<typeof startRelayerApi>>
/** Won by one solver, who delivered the second alone and was paid for it. */
let unpaid: Offer
let paid: Offer
let paidBy: Hex

beforeAll(async () => {
  rig = await startRelayerRig()
  reactions = await rig.startReactions()
  api = await startRelayerApi(rig, { timeoutMs: 1_500 })
  unpaid = await rig.create()
  paid = await rig.create()
  const isAnchored = async () =>
    (await Promise.all([unpaid, paid].map(({ id }) => rig.stored(id)))).every(
      (one) => one?.source.feeBps === 250,
    )
  await rig.until(isAnchored, 'anchored')
  for (const { id } of [unpaid, paid]) await rig.play.bid(id)
  await rig.play.endAuction()
  for (const { id } of [unpaid, paid]) await rig.play.deposit(id)
  await rig.until(
    async () => (await rig.phase(unpaid.id)) === 'deposited',
    'the deposit is indexed',
  )
  paidBy = await rig.deliver(paid)
  await rig.until(async () => (await rig.phase(paid.id)) === 'completed', 'settled')
})
afterAll(async () => {
  await api?.stop()
  await reactions?.stop()
  await rig?.stop()
})

async function sourceOf({ id }: Offer) {
  return ((await rig.stored(id)) as StoredIntent).source
}

/** Transactions the relayer's account has sent about an intent. */
async function kindsOf({ id }: Offer): Promise<string[]> {
  const { rows } = await rig.client.query(
    `select kind from app.transaction where effect = $1 or effect like $1 || ':%' order by id`,
    [String(id)],
  )
  return rows.map(({ kind }) => kind)
}

/** How many deliveries of an intent the index knows, by anyone. */
async function deliveriesOf({ id }: Offer): Promise<number> {
  const { rows } = await rig.client.query(
    'select count(*)::int as count from cairn.delivery where intent_id = $1',
    [String(id)],
  )
  return rows[0].count
}

/** The answer of `POST /settle` for the undelivered intent. */
async function ask(changes: object): Promise<string> {
  const { depositTxHash } = await sourceOf(unpaid)
  const hints = buildHints(rig, unpaid, {
    depositTxHash: depositTxHash as Hex,
    solveTxHash: paidBy,
  })
  return api.codeOf({ ...hints, ...changes })
}

describe('a settlement by another’s delivery', () => {
  it('a settlement by another intent’s delivery is refused', async () => {
    expect(await ask({})).toBe('SOLVE_NOT_FOUND')
    const { chain2IntentId } = (await rig.stored(paid.id))?.deliveries[0] ?? {}
    expect(await ask({ chain2IntentId: String(chain2IntentId) })).toBe('SOLVE_NOT_FOUND')
    const { depositTxHash } = await sourceOf(paid)
    expect(await ask({ depositTxHash })).toBe('DEPOSIT_MISMATCH')
  })

  it('a delivery by a solver that didn’t win pays neither that solver nor the winner', async () => {
    const rival = rig.horizen.solvers[1] as AccountSender
    const { winningAmountB, paramsHash } = await sourceOf(unpaid)
    const { ZEN } = rig.horizen.contracts.tokens
    const receipt = await rival.execute({
      to: rig.horizen.contracts.bridge,
      data: encodeFunctionData({
        abi: bridgeIntentV2Abi,
        functionName: 'solveIntent',
        args: [
          ...([BigInt(rig.base.chainId), unpaid.id, paramsHash, ZEN] as const),
          ...([unpaid.recipients.slice(0, 1), [winningAmountB as bigint]] as const),
          2n ** 32n,
        ],
      }),
    })
    await rig.until(async () => (await deliveriesOf(unpaid)) === 1, 'it is indexed')
    const theirs = { solveTxHash: receipt.transactionHash }
    expect(await ask({ ...theirs, solverAddress: rival.address })).toBe('NOT_THE_WINNER')
    // The chain does have a delivery of this intent there, so the caller should wait for the winner's.
    expect(await ask(theirs)).toBe('INDEX_NOT_READY')
    expect(await rig.phase(unpaid.id)).toBe('deposited')
    expect(await kindsOf(unpaid)).toEqual(['anchor'])
  })
})

describe('an attestation', () => {
  it('an attestation can’t be used twice, for another intent or solver, or on the other chain', async () => {
    const { settleTxHash } = await sourceOf(paid)
    const { input } = await rig.base.client.getTransaction({ hash: settleTxHash as Hex })
    const { args } = decodeFunctionData({ abi: bridgeIntentV2Abi, data: input })
    const [settlement, signatures] = args as unknown as SettleArgs
    const stranger = rig.base.senders[2]?.address as Hex
    const refusalOn = (chain: BridgeChain, changes: Partial<SettleArgs[0]>) =>
      chain.client
        .simulateContract({
          address: chain.contracts.bridge,
          abi: bridgeIntentV2Abi,
          account: stranger,
          functionName: 'settleIntent',
          args: [{ ...settlement, ...changes }, signatures],
        })
        .then(
          () => 'settled',
          (error) => error.walk(({ data }: { data?: object }) => data).data?.errorName,
        )
    expect(await refusalOn(rig.base, {})).toBe('WrongPhase')
    // Both intents have the same terms, so what tells them apart is what their blobs say.
    const { paramsHash, blobsHash, solver } = await sourceOf(unpaid)
    expect([settlement.paramsHash, settlement.solver.toLowerCase()]).toEqual([paramsHash, solver])
    const other = { intentId: unpaid.id }
    expect(await refusalOn(rig.base, other)).toBe('WrongBlobs')
    expect(await refusalOn(rig.base, { ...other, paramsHash: blobsHash })).toBe('WrongParams')
    expect(await refusalOn(rig.base, { ...other, blobsHash, solver: stranger })).toBe('WrongSolver')
    // And if all of it is put right, the enclave's signature is over something else.
    expect(await refusalOn(rig.base, { ...other, blobsHash })).toBe('AttesterNotActive')
    expect(await refusalOn(rig.horizen, {})).toBe('UnknownIntent')
  })
})

describe('a reorganisation', () => {
  it('a reorganisation that removes a settled delivery doesn’t cause a second settlement', async () => {
    const { solvedBlock } = (await rig.stored(paid.id))?.deliveries[0] ?? { solvedBlock: 0 }
    const head = Number(await rig.horizen.client.getBlockNumber({ cacheTime: 0 }))
    await rig.horizen.client.request({
      method: 'anvil_reorg',
      params: [head - solvedBlock + 1, []],
    } as never)
    const isGone = async () => (await rig.stored(paid.id))?.deliveries.length === 0
    await rig.until(isGone, 'the delivery is gone')
    // As the solver would, who finds its payment undone.
    await rig.deliver(paid)
    await rig.until(async () => !(await isGone()), 'the delivery is there again')
    await rig.deliver(unpaid)
    // By then the reactions have looked at all there is.
    await rig.until(async () => (await rig.phase(unpaid.id)) === 'completed', 'settled')
    expect(await kindsOf(paid)).toEqual(['anchor', 'settle'])
    const settled = await rig.client.query(
      `select intent_id from cairn.event where type = 'IntentSettled' order by intent_id`,
    )
    expect(settled.rows.map(({ intent_id }) => BigInt(intent_id))).toEqual([unpaid.id, paid.id])
    expect(await rig.phase(paid.id)).toBe('completed')
  })
})
