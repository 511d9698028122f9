import { encodeFunctionData, erc20Abi, type Hex, hashMessage, maxUint256, pad } from 'viem'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeAbi, safeProxyFactoryAbi } from '../../../core/safe/safeAbi.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { worth } from '../../../devnet/tokens.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import type { OrderOwner, OrdersRig } from './ordersRig.ts'

/** A Safe that has tokens and has approved the vault, and signs as contracts do: by ERC-1271. */
export async function createSafeOrderOwner(
  { base, token, vault, owners }: OrdersRig,
  position: number,
): Promise<OrderOwner> {
  const { chainId, senders } = base
  const key = owners[position]!
  const [sender] = senders.slice(position)
  const contracts = findSafeContracts(chainId)
  const { address, initializer, saltNonce } = predictSafe(key.address, chainId)
  const send = (to: Hex, data: Hex) => sender!.execute({ to, data })
  await send(
    contracts.proxyFactory,
    encodeFunctionData({
      abi: safeProxyFactoryAbi,
      functionName: 'createProxyWithNonce',
      args: [contracts.singleton, initializer, saltNonce],
    }),
  )
  await send(token, encodeMint(address, worth('USDC', 1_000_000_000)))
  const approve = { abi: erc20Abi, functionName: 'approve', args: [vault, maxUint256] } as const
  // An owner who sends the transaction itself has signed it.
  const word: Hex = `0x${pad(key.address).slice(2)}${'00'.repeat(32)}01`
  const none = pad('0x', { size: 20 })
  const args = [token, 0n, encodeFunctionData(approve), 0, 0n, 0n, 0n, none, none, word] as const
  await send(address, encodeFunctionData({ abi: safeAbi, functionName: 'execTransaction', args }))
  return {
    address,
    signMessage: ({ message }) =>
      key.signTypedData({
        domain: { chainId, verifyingContract: address },
        types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
        primaryType: 'SafeMessage',
        message: { message: hashMessage(message) },
      }),
  }
}
