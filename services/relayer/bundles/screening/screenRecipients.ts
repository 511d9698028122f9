import { encodeFunctionData, erc20Abi, type Hex, multicall3Abi } from 'viem'
import { type chainClient, MULTICALL3 } from '../../../chain/chainClient.ts'
import { BundleError } from '../../terms/bundleError.ts'

/** Reads the destination chain. */
export type DestinationReader = Pick<ReturnType<typeof chainClient>, 'readContract'>

/**
 * Refuses recipients that the token refuses, which a winner couldn't pay. It asks the token itself, by
 * simulated transfers of zero. A token that refuses these for everyone can't be asked this way; if the
 * chain doesn't answer, all pass, since a sender must not depend on it. A token may blacklist an
 * account later; no check now can prevent that.
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
