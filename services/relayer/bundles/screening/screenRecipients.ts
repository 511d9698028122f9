import { encodeFunctionData, erc20Abi, type Hex, multicall3Abi } from 'viem'
import { type chainClient, MULTICALL3 } from '../../../chain/chainClient.ts'
import { BundleError } from '../../terms/bundleError.ts'

/** Reads the destination chain. */
export type DestinationReader = Pick<ReturnType<typeof chainClient>, 'readContract'>

/**
 * Refuses recipients that the token refuses: a winner who is to pay one of them can deliver to nobody,
 * and loses its bond. Asks the token itself, by transfers of nothing that are never sent. A token that
 * refuses these to everybody can't be asked so; a chain that doesn't answer lets all pass, since a
 * sender must not depend on it. Tokens may turn on an account later: no check today helps against that.
 *
 * @throws BundleError `RECIPIENT_INVALID`
 */
export async function screenRecipients(
  client: DestinationReader,
  token: Hex,
  recipients: readonly Hex[],
): Promise<void> {
  const calls = [MULTICALL3 as Hex, ...recipients].map((to) => ({
    target: token,
    allowFailure: true,
    callData: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 0n] }),
  }))
  const results = await client
    .readContract({
      address: MULTICALL3,
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    })
    .catch(() => null)
  const [control, ...answers] = results ?? []
  if (!control?.success) return
  const refused = answers.findIndex(({ success, returnData }) => !success || saysFalse(returnData))
  if (refused === -1) return
  const place = `recipients.${refused}`
  throw new BundleError('RECIPIENT_INVALID', 'the token refuses this recipient', place)
}

function saysFalse(returnData: Hex): boolean {
  return returnData.length === 66 && BigInt(returnData) === 0n
}
