import { type Address, getAbiItem } from 'viem'
import type { TrafficChain } from '../../../devnet/traffic/trafficChainClient.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'

/** Who did what for an intent, which depends on chance; the prediction computes the sums from it. */
export type Outcome = {
  /** Who deposited last, and for how much tokenB; null: nobody. */
  won: { by: Address; amountB: bigint } | null
  /** Who forfeited a lock. */
  forfeiters: Address[]
}

/** From the source chain's own events. */
export async function readOutcome(
  { client, contracts }: Pick<TrafficChain, 'client' | 'contracts'>,
  intentId: bigint,
): Promise<Outcome> {
  const about = {
    address: contracts.bridge,
    args: { intentId },
    fromBlock: 0n,
    strict: true,
  } as const
  const abi = bridgeIntentV2Abi
  const [deposits, forfeits] = await Promise.all([
    client.getLogs({ ...about, event: getAbiItem({ abi, name: 'SolverDeposited' }) }),
    client.getLogs({ ...about, event: getAbiItem({ abi, name: 'BidForfeited' }) }),
  ])
  const won = deposits.at(-1)?.args
  return {
    won: won ? { by: won.solver, amountB: won.amountB } : null,
    forfeiters: forfeits.map(({ args }) => args.solver),
  }
}
