import { type Address, erc20Abi, type Hex, parseEventLogs, type TransactionReceipt } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { CairnError } from '../errors/cairnError.ts'
import { askChain } from '../errors/chainFailure.ts'
import { createIntentCall } from '../intent/createIntentCall.ts'
import { sealCreationBlob } from '../seal/sealCreationBlob.ts'
import { checkLiquidity } from './checkLiquidity.ts'
import { checkOnChain } from './checkOnChain.ts'
import type { CairnChain, ClientContext } from './clientOptions.ts'
import { handleOf, type IntentHandle } from './intentHandle.ts'
import type { IntentRequest } from './intentRequest.ts'
import { requireWallet, type SendingWallet } from './requireWallet.ts'
import { send } from './send.ts'
import { type IntentChains, validateIntent } from './validateIntent.ts'

export type SubmitOptions = {
  /** Don't ask the relayer whether anybody is there to take it. Default: ask. */
  skipLiquidityCheck?: boolean
}

/**
 * Checks an intent, approves what it takes, and creates it with its recipients sealed into the creation:
 * nothing is left to be sent afterwards, and nobody can name others. Until the approval nothing costs
 * anything.
 *
 * @throws CairnError
 */
export async function submitIntent(
  context: ClientContext,
  intent: IntentRequest,
  { skipLiquidityCheck = false }: SubmitOptions = {},
): Promise<IntentHandle> {
  const now = Date.now() / 1_000
  const chains = validateIntent(intent, context.chains, now)
  const wallet = requireWallet(context, chains.source)
  const { auctionDuration } = await checkOnChain(intent, chains)
  if (!skipLiquidityCheck) await checkLiquidity(context.relayer, intent, chains)
  const publicKey = await context.relayer.eciesPublicKey()
  const params = {
    ...{ tokenA: intent.tokenIn, tokenB: intent.tokenOut, amountA: intent.amountIn },
    ...{ expectedAmountB: intent.minAmountOut, reward: intent.reward, auctionDuration },
    destChainId: BigInt(chains.destination.chainId),
  }
  const blob = sealCreationBlob(publicKey, {
    ...{ sourceChainId: chains.source.chainId, bridge: chains.source.bridge },
    ...{ user: wallet.account.address, params, createdAt: Math.floor(now) },
    recipients: intent.recipients.map(({ address }) => address),
    amounts: intent.recipients.map(({ amount }) => amount),
    ...{ metadata: intent.metadata, viewers: intent.viewers },
  })
  await approve(wallet, intent.tokenIn, chains, intent.amountIn + intent.reward)
  const receipt = await send(wallet, chains.source.bridge, createIntentCall(params, blob))
  return handleOf(context, createdIn(receipt, chains.source), {
    createTxHash: receipt.transactionHash,
  })
}

/** Approves exactly what is needed. Some tokens take a new approval only in place of none. */
async function approve(
  wallet: SendingWallet,
  token: Address,
  { source: { bridge } }: IntentChains,
  needed: bigint,
): Promise<void> {
  const { client, account } = wallet
  const of = { address: token, abi: erc20Abi } as const
  const [allowance, balance] = await askChain(() =>
    Promise.all([
      client.readContract({
        ...{ ...of, functionName: 'allowance' },
        args: [account.address, bridge],
      }),
      client.readContract({ ...of, functionName: 'balanceOf', args: [account.address] }),
    ]),
  )
  if (balance < needed) {
    const words = `the account holds ${balance}, and amountIn and reward are ${needed} together`
    throw new CairnError('CONTRACT_REVERTED', words, {
      details: { errorName: 'InsufficientBalance', args: [balance, needed] },
    })
  }
  if (allowance >= needed) return
  if (allowance > 0n) await send(wallet, token, approvalOf(bridge, 0n))
  await send(wallet, token, approvalOf(bridge, needed))
}

function approvalOf(spender: Address, amount: bigint): Hex {
  // `approve(address,uint256)`
  const words = [spender.slice(2).toLowerCase(), amount.toString(16)]
  return `0x095ea7b3${words.map((word) => word.padStart(64, '0')).join('')}`
}

/** The id by the receipt: the contract's latest one may be somebody else's by now. */
function createdIn(receipt: TransactionReceipt, { bridge }: CairnChain): bigint {
  const logs = parseEventLogs({
    ...{ abi: bridgeIntentV2Abi, eventName: 'IntentCreated' },
    logs: receipt.logs.filter(({ address }) => address.toLowerCase() === bridge.toLowerCase()),
  })
  const [created] = logs
  if (created !== undefined) return created.args.intentId
  throw new CairnError('CONTRACT_REVERTED', 'the transaction created no intent', {
    details: { txHash: receipt.transactionHash },
  })
}
