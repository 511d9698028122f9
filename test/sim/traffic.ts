import type { TransactionReceipt } from 'viem'
import { type BridgeChain, type BridgePair, playOn } from '../integration/indexer/bridgePair.ts'
import type { SeededRandom } from '../rig/seededRandom.ts'

/** An intent as the simulation remembers it; a reorganisation may have changed or removed it. */
type Known = { id: bigint; bids: bigint; delivered: TransactionReceipt | null }

export type Traffic = {
  /** Attempts one random action, likely to succeed or not. @returns whether it succeeded */
  act(): Promise<boolean>
}

/** Number of recent intents to act on. */
const REMEMBERED = 8
/** Time jumps in seconds: past an auction, a pickup, a delivery. */
const JUMPS = [70, 300, 1_200]

/** Random traffic from `source` to `destination`, mostly but not always in the order of an intent's life. */
function trafficOn(source: BridgeChain, destination: BridgeChain, random: SeededRandom): Traffic {
  const play = playOn(source, destination)
  const known: Known[] = []
  const anyOf = () => random.pick(known)
  const actions: Record<string, () => Promise<unknown>> = {
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
    wait: () => jump(source, random.pick(JUMPS)),
    // The usual sequence, so that some intents complete.
    whole: () => wholeLife(source, play, random),
  }
  const names = Object.keys(actions).flatMap((name) => Array(WEIGHTS[name] ?? 1).fill(name))
  return {
    async act() {
      const name = known.length === 0 ? 'create' : random.pick(names)
      return (actions[name] as () => Promise<unknown>)().then(
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
  random: SeededRandom,
): Promise<void> {
  const id = await play.create()
  await play.anchor(id)
  await play.bid(id)
  await jump(source, JUMPS[0]!)
  await play.deposit(id)
  if (random.oneIn(3)) {
    await jump(source, JUMPS[2]!)
    await play.refund(id)
    return
  }
  await play.settle(id, await play.deliver(id))
}

/** Advances time on a chain whose blocks are otherwise a second apart. */
async function jump({ client }: BridgeChain, seconds: number): Promise<void> {
  const { timestamp } = await client.getBlock()
  await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) })
  await client.mine({ blocks: 1 })
}

/** Traffic in both directions. */
export function createTraffic(
  { base, horizen }: BridgePair,
  random: SeededRandom,
): [Traffic, Traffic] {
  return [trafficOn(base, horizen, random.split()), trafficOn(horizen, base, random.split())]
}
