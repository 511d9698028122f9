import { BaseError, numberToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { revertIn } from '../../../chain/transactions/simulateCall.ts'
import { SponsorError, type Sponsorship } from './sponsorship.ts'

/** Room above an estimate: what is true at the head may cost more a block later. */
const ROOM_PERCENT = 120n

/**
 * Tries a call of the relayer's at the chain's head, with no more gas than it may ever take.
 *
 * @returns the gas to send it with
 * @throws SponsorError `RELAY_PROXY_REVERTED`, `RELAY_GAS_TOO_HIGH`; what keeps the nodes from answering
 */
export async function tryCall(
  { client, account, limits }: Pick<Sponsorship, 'client' | 'account' | 'limits'>,
  to: Hex,
  data: Hex,
): Promise<bigint> {
  // At the price of a real one, to catch calls that behave differently when simulated at no price.
  const gasPrice = numberToHex(await client.getGasPrice())
  const call = { from: account, to, data, gas: numberToHex(limits.gas), gasPrice }
  await requireSuccess(client, call)
  const needed = await estimate(client, call, limits.gas)
  const gas = (needed * ROOM_PERCENT) / 100n
  if (gas <= limits.gas) return gas
  throw new SponsorError(
    'RELAY_GAS_TOO_HIGH',
    `it takes about ${needed} gas, more than the relayer pays for: make it smaller`,
    { gas: String(needed), mostGas: String((limits.gas * 100n) / ROOM_PERCENT) },
  )
}

type WireCall = { from: Hex; to: Hex; data: Hex; gas: Hex; gasPrice: Hex }

async function requireSuccess(client: Sponsorship['client'], call: WireCall): Promise<void> {
  try {
    await client.request({ method: 'eth_call', params: [call, 'latest'] })
  } catch (error) {
    const reason = whyFailed(error)
    if (reason === null) throw error
    throw new SponsorError(
      'RELAY_PROXY_REVERTED',
      `it would revert within ${BigInt(call.gas)} gas, so nothing was sent`,
      { reason },
    )
  }
}

async function estimate(
  client: Sponsorship['client'],
  call: WireCall,
  most: bigint,
): Promise<bigint> {
  try {
    return BigInt(await client.request({ method: 'eth_estimateGas', params: [call] }))
  } catch (error) {
    // It succeeded with all of the gas: if a node finds no smaller amount, it takes all of it.
    if (whyFailed(error) !== null) return most
    throw error
  }
}

/** A node's report of a call that fails; null when it said nothing of the call. */
function whyFailed(error: unknown): string | null {
  const reverted = revertIn(error)
  if (reverted) return reverted.detail
  const words = error instanceof BaseError ? `${error.details} ${error.shortMessage}` : ''
  return /out ?of ?gas|gas required exceeds|intrinsic gas/i.test(words) ? 'out of gas' : null
}
