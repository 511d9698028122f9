import type { Hex } from 'viem'
import type { TrafficChain } from '../../devnet/traffic/trafficChainClient.ts'
import type { AccountSender } from '../../services/chain/accountSender.ts'

/** Creation code that emits the cheapest logs until its gas is nearly used up. */
export const EMPTY_LOGS: Hex = '0x5b5f5fa06110005a115f5700'

/** The same with logs of 32 KiB: 72 of them use 19 million gas. */
export const LONG_LOGS: Hex = '0x5b6180005fa0620493e05a115f5700'

/**
 * Mines transactions in one block together with one that emits nothing but logs.
 *
 * @param send adds the other transactions to the pool
 * @param gas gas for the logs
 */
export async function mineInFullBlock<Sent>(
  { client }: Pick<TrafficChain, 'client'>,
  from: AccountSender,
  { code, gas }: { code: Hex; gas: bigint },
  send: () => Promise<Sent>,
): Promise<Sent> {
  await client.request({ method: 'evm_setAutomine', params: [false] } as never)
  try {
    await from.send({ to: null, data: code, gas })
    const sent = await send()
    await client.mine({ blocks: 1 })
    return sent
  } finally {
    await client.request({ method: 'evm_setAutomine', params: [true] } as never)
  }
}
