import { getAddress, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import type { Reactions } from '../../../services/relayer/reconciler/startReactions.ts'
import type { Offer } from '../reactions/relayerRig.ts'
import { START_MS, startWritesRig, type WritesRig } from './relayerApiRig.ts'

/** Ids are given out again after a reorg: what was stored or signed for one creation meets another. */
let rig: WritesRig
let reactions: Reactions | null = null
beforeAll(async () => {
  rig = await startWritesRig()
}, START_MS)
afterAll(() => rig?.stop())
afterEach(async () => {
  await reactions?.stop()
  reactions = null
})

const OTHER_SENDER = deriveDevnetAccounts().senders[1]!

async function headOfBase(): Promise<number> {
  return Number(await rig.base.client.getBlockNumber())
}

/** Takes everything above a block away, and has another sender create an intent: it gets the same id. */
async function giveIdAway(lost: Offer, block: number, blob: boolean): Promise<Offer> {
  const depth = (await headOfBase()) - block
  await rig.base.client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
  await rig.until(async () => (await rig.stored(lost.id)) === null, 'the creation is gone')
  const offer = await rig.create({ blob, by: 1 })
  expect(offer.id).toBe(lost.id)
  // The API's own view: the row is there before the API hears of it.
  const isShown = async ({ get }: typeof rig.strict) =>
    (await get(`/intent-details/${offer.id}`)).body.intent?.sender === OTHER_SENDER.address
  await rig.until(
    async () => (await isShown(rig.strict)) && (await isShown(rig.compat)),
    'the other is shown',
  )
  return offer
}

/** How many bundles are stored under an id, of whichever creation. */
async function storedUnder(id: bigint): Promise<number> {
  const { rows } = await rig.client.query('select from app.bundle where intent_id = $1', [
    String(id),
  ])
  return rows.length
}

/** Plays an intent to its end: the winner is told the offer's recipients, and paid for paying them. */
async function comesToItsEnd(offer: Offer): Promise<void> {
  await rig.won(offer.id)
  const revealed = await rig.compat.get(`/get-recipients/${offer.id}`, {
    'x-solver-address': rig.solver.address,
  })
  expect(revealed.body.recipients).toEqual(offer.recipients.map((one) => getAddress(one)))
  await rig.deliver(offer)
  await rig.completed(offer.id)
}

async function anchorsOf(id: bigint) {
  const { rows } = await rig.client.query(
    `select state, problem from app.transaction where kind = 'anchor' and effect like $1 order by id`,
    [`${id}:%`],
  )
  return rows
}

it('a waiting anchor isn’t sent for another creation, which gets its own', async () => {
  const balance = await rig.base.client.getBalance({ address: rig.relayer })
  await rig.base.client.setBalance({ address: rig.relayer, value: 1n })
  await rig.base.client.mine({ blocks: 1 })
  reactions = await rig.startReactions()
  const before = await headOfBase()
  const lost = await rig.create({ blob: false })
  expect((await rig.storeSigned(lost)).status).toBe(200)
  const waits = async () => (await anchorsOf(lost.id))[0]?.problem === 'OUT_OF_GAS'
  await rig.until(waits, 'the anchor waits')
  const offer = await giveIdAway(lost, before, false)
  await rig.base.client.setBalance({ address: rig.relayer, value: 1n })
  // In strict mode the first word is the new sender's, whatever was stored for the old one.
  const theirs = await rig.strict.post('/store-recipients', await rig.sealed(lost))
  expect([theirs.status, theirs.body.code]).toEqual([400, 'SIGNATURE_REQUIRED'])
  expect((await rig.storeSigned(offer, OTHER_SENDER)).status).toBe(200)
  await rig.base.client.setBalance({ address: rig.relayer, value: balance })
  await rig.anchored(offer.id)
  const [first, ...later] = await anchorsOf(offer.id)
  expect(['failed', 'superseded']).toContain(first?.state)
  expect(later).toHaveLength(1)
  expect(await storedUnder(offer.id)).toBe(2)
  await comesToItsEnd(offer)
})

it('a mined anchor for another creation has no effect: the new one gets its own', async () => {
  reactions = await rig.startReactions()
  const before = await headOfBase()
  const lost = await rig.create({ blob: false })
  expect((await rig.storeSigned(lost)).status).toBe(200)
  await rig.anchored(lost.id)
  await reactions.stop()
  const { rows } = await rig.client.query(
    `select raw from app.transaction_version join app.transaction t on t.id = transaction_id
     where kind = 'anchor' and effect like $1`,
    [`${lost.id}:%`],
  )
  const offer = await giveIdAway(lost, before, false)
  // As a node does that puts what a reorg took out of a block back into its pool.
  const serializedTransaction = rows[0].raw as Hex
  const hash = await rig.base.client.sendRawTransaction({ serializedTransaction })
  const { status } = await rig.base.client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  expect(status).toBe('reverted')
  reactions = await rig.startReactions()

  const body = await rig.sealed(offer)
  const headers = await rig.signedBy(OTHER_SENDER, body)
  const stored = await rig.strict.post('/store-recipients', body, headers)
  expect([stored.status, stored.body.status]).toEqual([200, 'waiting'])
  const isOnChain = async () =>
    (await rig.strict.post('/store-recipients', body, headers)).body.status === 'on_chain'
  await rig.until(isOnChain, 'the stored bundle is on chain')
  await comesToItsEnd(offer)
})

it('a creation’s own blob comes first, though another creation’s recipients are still stored', async () => {
  const before = await headOfBase()
  const lost = await rig.create({ blob: false })
  expect((await rig.storeSigned(lost)).status).toBe(200)
  const offer = await giveIdAway(lost, before, true)
  const theirs = { ...lost, recipients: lost.recipients.toReversed() }
  const answer = await rig.compat.post('/store-recipients', await rig.sealed(theirs))
  expect([answer.status, answer.body.code]).toEqual([400, 'ALREADY_STORED'])
  const own = await rig.compat.post('/store-recipients', await rig.sealed(offer))
  expect([own.status, own.body.code ?? own.body.status]).toEqual([200, 'on_chain'])
  expect(await storedUnder(offer.id)).toBe(1)
})

it('a creation whose id has changed keeps its own blob, and nobody else can name its recipients', async () => {
  const before = await headOfBase()
  const moved = await rig.create()
  await rig.until(async () => (await rig.stored(moved.id)) !== null, 'indexed')
  const creation = (await rig.stored(moved.id))?.source.createTxHash
  const raw: Hex = await rig.base.client.request({
    method: 'eth_getRawTransactionByHash',
    params: [creation],
  } as never)
  const same = await rig.compat.post('/store-recipients', await rig.sealed(moved))
  expect([same.status, same.body.status]).toEqual([200, 'on_chain'])
  await giveIdAway(moved, before, true)
  // As a node does that puts what a reorg took out of a block back into its pool.
  await rig.base.client.sendRawTransaction({ serializedTransaction: raw })
  const id = moved.id + 1n
  await rig.until(async () => (await rig.stored(id)) !== null, 'it has the next id')
  const theirs = { ...moved, id, recipients: moved.recipients.toReversed() }
  const answer = await rig.compat.post('/store-recipients', await rig.sealed(theirs))
  expect([answer.status, answer.body.code]).toEqual([400, 'ALREADY_STORED'])
  const own = await rig.compat.post('/store-recipients', await rig.sealed({ ...moved, id }))
  expect([own.status, own.body.code ?? own.body.status]).toEqual([200, 'on_chain'])
  expect(await storedUnder(id)).toBe(0)
})
