import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import { withChainErrors } from '../errors/toCairnError.ts'
import type { SendingWallet } from './requireWallet.ts'
import { sendTransaction } from './sendTransaction.ts'

/**
 * Approves exactly the required amount. Revokes an older approval first, because some tokens require that.
 *
 * @throws CairnError when the account's balance is too low
 */
export async function approveToken(
  wallet: SendingWallet,
  { token, bridge }: { token: Address; bridge: Address },
  needed: bigint,
): Promise<void> {
  const { client, account } = wallet
  const of = { address: token, abi: erc20Abi } as const
  const [allowance, balance] = await withChainErrors(() =>
    Promise.all([
      client.readContract({ ...of, functionName: 'allowance', args: [account.address, bridge] }),
      client.readContract({ ...of, functionName: 'balanceOf', args: [account.address] }),
    ]),
  )
  if (balance < needed) {
    const words = `the account holds ${balance}, less than the ${needed} of amountIn and reward`
    throw new CairnError('CONTRACT_REVERTED', words, {
      details: { errorName: 'InsufficientBalance', args: [balance, needed] },
    })
  }
  if (allowance >= needed) return
  if (allowance > 0n) await sendTransaction(wallet, token, encodeApproval(bridge, 0n))
  await sendTransaction(wallet, token, encodeApproval(bridge, needed))
}

function encodeApproval(spender: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
}
