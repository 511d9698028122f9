import type { TransactionReceipt } from 'viem'
import { type BridgeChain, type BridgePair, playOn } from '../integration/indexer/bridgePair.ts'
import type { Dice } from './dice.ts'

/** Somebody's intent, as far as the simulation remembers; a reorganisation may know better. */
type Known = { id: bigint; bids: bigint; delivered: TransactionReceipt | null }

export type Traffic = {
  /** One thing that somebody does on a chain, likely or not. @returns whether it was taken. */
  act(): Promise<boolean>
}

/** Intents of which something may still be heard. */
const REMEMBERED = 8
/** By how much time may jump, in seconds: past an auction, a pickup, a delivery. */
const JUMPS = [70, 300, 1_200]

/** Random traffic from `source` to `destination`: in the order of a life mostly, but not always. */
function trafficOn(source: BridgeChain, destination: BridgeChain, chance: Dice): Traffic {
  const play = playOn(source, destination)
  const known: Known[] = []
  const anyOf = () => chance.pick(known)
  const deeds: Record<string, () => Promise<unknown>> = {
    create: async () => {
      known.push({ id: await play.create(), bids: 0n, delivered: null })
      if (known.length > REMEMBERED) known.shift()
    },
    anchor: () => play.anchor(anyOf().id),
    append: () => play.append(anyOf().id),
    bid: async () => {
      const intent = anyOf()
      await play.bid(intent.id, intent.bids + 1n)
      intent.bids += 1n
    },
    deposit: () => {
      const { id, bids } = anyOf()
      return play.deposit(id, bids)
    },
    deliver: async () => {
      const intent = anyOf()
      intent.delivered = await play.deliver(intent.id, intent.bids)
    },
    settle: async () => {
      const { id, delivered } = known.find((one) => one.delivered) ?? anyOf()
      if (delivered) await play.settle(id, delivered)
    },
    cancel: () => play.cancel(anyOf().id),
    refund: () => play.refund(anyOf().id),
    collect: () => play.collectFees(),
    wait: () => jump(source, chance.pick(JUMPS)),
    // What usually comes next, for intents that get through.
    whole: () => wholeLife(source, play, chance),
  }
  const names = Object.keys(deeds).flatMap((name) => Array(WEIGHTS[name] ?? 1).fill(name))
  return {
    async act() {
      const name = known.length === 0 ? 'create' : chance.pick(names)
      return (deeds[name] as () => Promise<unknown>)().then(
        () => true,
        () => false,
      )
    },
  }
}

const WEIGHTS: Record<string, number> = { create: 4, anchor: 4, bid: 5, deliver: 2, whole: 2 }

async function wholeLife(
  source: BridgeChain,
  play: ReturnType<typeof playOn>,
  chance: Dice,
): Promise<void> {
  const id = await play.create()
  await play.anchor(id)
  await play.bid(id)
  await jump(source, JUMPS[0]!)
  await play.deposit(id)
  if (chance.oneIn(3)) {
    await jump(source, JUMPS[2]!)
    await play.refund(id)
    return
  }
  await play.settle(id, await play.deliver(id))
}

/** Time passes on a chain whose blocks are otherwise a second apart. */
async function jump({ client }: BridgeChain, seconds: number): Promise<void> {
  const { timestamp } = await client.getBlock()
  await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) })
  await client.mine({ blocks: 1 })
}

/** Traffic both ways. */
export function trafficBetween({ base, horizen }: BridgePair, chance: Dice): [Traffic, Traffic] {
  return [trafficOn(base, horizen, chance.split()), trafficOn(horizen, base, chance.split())]
}
