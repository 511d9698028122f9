import { erc20Abi, parseEventLogs } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { worth } from '../../../devnet/tokens.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { attestedCalls, readIntentOn } from '../../rig/attestedCalls.ts'
import { type BridgePair, startBridgePair } from '../indexer/bridgePair.ts'
import { describeSignedCreation } from './describeSignedCreation.ts'

const OPEN = 1
const DEPOSITED = 2
const SETTLED = 3
const REFUNDED = 5

let pair: BridgePair

/** An intent that the first solver has won. */
async function won(): Promise<bigint> {
  const { play } = pair
  const id = await play.create()
  await play.anchor(id)
  await play.bid(id)
  await play.endAuction()
  await play.deposit(id)
  return id
}

const phaseOf = async (id: bigint) => (await readIntentOn(pair.base, id)).phase

async function stakeOf(solver: AccountSender) {
  const { client, contracts } = pair.base
  const [total, locked] = await client.readContract({
    address: contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'stakeOf',
    args: [solver.address, contracts.tokens.USDC],
  })
  return { total, locked }
}

describe('the lifecycles that other tests use', () => {
  beforeAll(async () => {
    pair = await startBridgePair()
  })
  afterAll(() => pair.stop())

  it('deliver and settle with one enclave’s signature', async () => {
    const { play, base } = pair
    const id = await won()
    expect(await phaseOf(id)).toBe(DEPOSITED)
    await play.settle(id, await play.deliver(id))
    expect(await phaseOf(id)).toBe(SETTLED)
    expect((await stakeOf(base.solvers[0]!)).locked).toBe(0n)
  })

  it('name, append, request and reveal recipients', async () => {
    const { play } = pair
    const id = await play.create()
    await play.anchor(id, { feeBps: 700, recipientClass: 8 })
    await play.name(id)
    await play.append(id)
    await play.bid(id)
    await play.endAuction()
    await play.deposit(id)
    await play.letQuartersPass(1)
    await play.ask(id)
    await play.reveal(id, '0x1234')
    const seen = await readIntentOn(pair.base, id)
    expect(seen).toMatchObject({ asked: true, revealed: true, named: true, recipientClass: 8 })
  })

  it('refund an undelivered intent with an enclave’s signature, earlier than anybody could without one', async () => {
    const { play, base } = pair
    const before = await stakeOf(base.solvers[0]!)
    const id = await won()
    await play.letDeadlinePass()
    await expect(play.refund(id)).rejects.toThrow()
    await play.refundUndelivered(id)
    expect(await phaseOf(id)).toBe(REFUNDED)
    // Silence earns nobody anything: nothing was revealed, and nobody asked.
    expect((await stakeOf(base.solvers[0]!)).total).toBe(before.total - worth('USDC', 10_100) / 20n)
  })

  it('let another solver take over in the second window when the best bidder doesn’t deposit', async () => {
    const { play, base } = pair
    const id = await play.create()
    await play.anchor(id)
    await play.bid(id)
    await play.endAuction()
    const [first, second] = base.solvers as [AccountSender, AccountSender]
    await expect(play.deposit(id, 1n, second)).rejects.toThrow()
    await base.client.increaseTime({ seconds: 100 })
    const receipt = await play.deposit(id, 1n, second)
    const forfeits = parseEventLogs({
      abi: bridgeIntentV2Abi,
      logs: receipt.logs,
      eventName: 'BidForfeited',
    })
    expect(forfeits[0]?.args.solver).toBe(first.address)
    expect((await readIntentOn(base, id)).solver).toBe(second.address)
  })

  it('cancel an intent, and refund one without bids', async () => {
    const { play } = pair
    const cancelled = await play.create()
    await play.cancel(cancelled)
    const ignored = await play.create()
    expect(await phaseOf(ignored)).toBe(OPEN)
    await play.endAuction()
    await play.refund(ignored)
    expect(await phaseOf(ignored)).toBe(REFUNDED)
  })

  describeSignedCreation(() => pair)
})

describe('tokens that need three enclaves’ signatures', () => {
  beforeAll(async () => {
    pair = await startBridgePair({ quorum: 3 })
  })
  afterAll(() => pair.stop())

  it('settle with three operators’ signatures, and with no fewer', async () => {
    const { play, base } = pair
    const id = await won()
    const solved = await play.deliver(id)
    const [event] = parseEventLogs({
      abi: bridgeIntentV2Abi,
      logs: solved.logs,
      eventName: 'IntentSolved',
    })
    const { chain2IntentId } = event!.args
    const { attesters } = deriveDevnetAccounts()
    const settleBy = async (keys: typeof attesters | (typeof attesters)[number][]) => {
      const data = await attestedCalls(base, keys).settle(id, chain2IntentId)
      return base.relayer.execute({ to: base.contracts.bridge, data })
    }
    await expect(settleBy(attesters.slice(0, 2))).rejects.toThrow()
    await expect(settleBy([attesters[0], attesters[0], attesters[1]])).rejects.toThrow()
    await settleBy(attesters)
    expect(await phaseOf(id)).toBe(SETTLED)
  })

  it('pay the right accounts', async () => {
    const { horizen } = pair
    const owed = await horizen.client.readContract({
      address: horizen.contracts.tokens.ZEN,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [horizen.senders[2]!.address],
    })
    expect(owed).toBeGreaterThan(worth('ZEN', 100_000_000_000))
  })
})
