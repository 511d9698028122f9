import { BaseError, maxUint256, numberToHex, type PublicClient } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { combineSimulations } from '../../../chain/transactions/combineSimulations.ts'
import { revertOf, type Simulation } from '../../../chain/transactions/simulateCall.ts'
import { SponsorError, type Sponsorship } from './sponsorContext.ts'

/** Margin above an estimate, since the cost may be higher a block later. */
const ROOM_PERCENT = 120n

/**
 * Simulates one of the relayer's calls at the head of each of the chain's nodes, within the gas limit. It reverts if
 * most nodes say so.
 *
 * @returns the gas to send it with
 * @throws SponsorError `RELAY_PROXY_REVERTED`, `RELAY_GAS_TOO_HIGH`; RPC errors
 */
export async function estimateSponsoredGas(
  { nodes, account, limits }: Pick<Sponsorship, 'nodes' | 'account' | 'limits'>,
  to: Hex,
  data: Hex,
): Promise<bigint> {
  const call = { from: account, to, data, gas: numberToHex(limits.gas) }
  const said = await nodes.queryAll(
    (client) => tryAt(client, call, limits.gas),
    ({ outcome }) => outcome,
  )
  const bounds = { blockGas: maxUint256, payable: (limits.gas * 100n) / ROOM_PERCENT }
  const agreed = combineSimulations(said, bounds)
  if (agreed.outcome !== 'succeeds') {
    throw new SponsorError(
      'RELAY_PROXY_REVERTED',
      `it would revert within ${limits.gas} gas, so nothing was sent`,
      { reason: agreed.detail },
    )
  }
  const { gas: needed } = agreed
  const gas = (needed * ROOM_PERCENT) / 100n
  if (gas <= limits.gas) return gas
  throw new SponsorError(
    'RELAY_GAS_TOO_HIGH',
    `it takes about ${needed} gas, more than the relayer pays for: make it smaller`,
    { gas: String(needed), mostGas: String((limits.gas * 100n) / ROOM_PERCENT) },
  )
}

type Node = Pick<PublicClient, 'request' | 'getGasPrice'>

type WireCall = { from: Hex; to: Hex; data: Hex; gas: Hex }

/** @throws RPC errors */
async function tryAt(client: Node, unpriced: WireCall, most: bigint): Promise<Simulation> {
  // With a real gas price, to catch calls that behave differently in a simulation without one.
  const call = { ...unpriced, gasPrice: numberToHex(await client.getGasPrice()) }
  try {
    await client.request({ method: 'eth_call', params: [call, 'latest'] })
  } catch (error) {
    const detail = whyFailed(error)
    if (detail === null) throw error
    return { outcome: 'reverts', error: 'REVERTED', args: [], detail }
  }
  try {
    const gas = BigInt(await client.request({ method: 'eth_estimateGas', params: [call] }))
    return { outcome: 'succeeds', gas }
  } catch (error) {
    // It succeeded with all of the gas: if a node finds no smaller amount, it needs all of it.
    if (whyFailed(error) === null) throw error
    return { outcome: 'succeeds', gas: most }
  }
}

/** A node's report that a call fails; null when it didn't report on the call. */
function whyFailed(error: unknown): string | null {
  const reverted = revertOf(error)
  if (reverted) return reverted.detail
  const words = error instanceof BaseError ? `${error.details} ${error.shortMessage}` : ''
  return /out ?of ?gas|gas required exceeds|intrinsic gas/i.test(words) ? 'out of gas' : null
}
