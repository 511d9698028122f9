import {
  BaseError,
  formatGwei,
  type Hex,
  keccak256,
  type PublicClient,
  RpcRequestError,
} from 'viem'
import { createChainNodes } from '../../services/chain/transactions/chainNodes.ts'
import { createRollupDataFees } from '../../services/chain/transactions/rollupDataFees.ts'
import { detailOf } from '../../services/chain/transactions/simulateCall.ts'
import type { ChainConfig } from '../../services/config/chainConfig.ts'
import { findGasPriceCap } from '../../services/config/findGasPriceCap.ts'
import type { Enclave } from '../../services/enclave/enclaveInterface.ts'
import { ToolError } from '../commandLine.ts'
import { describeUnreadable, openRegistryNode } from './registryNode.ts'

/** A former gas account, and what it sent. Amounts are wei, in decimal. */
type Move = { from: Hex; to: Hex; balance: string; sent: string; transaction: Hex | null }

/**
 * Sends the coins of earlier roots' gas accounts on a chain to the accounts that have taken their place. Each keeps the most
 * that its payment may cost. One that still has transactions under way keeps its coins, and the others go first.
 *
 * @param onSent called with each payment at once: a later one may fail
 */
export async function moveFormerGas(
  enclave: Pick<Enclave, 'formerGasAccounts' | 'signFormerGasTransfer'>,
  chain: Chain,
  onSent: (move: Move) => void,
): Promise<Move[]> {
  const { chainId } = chain
  const { accounts } = await enclave.formerGasAccounts()
  if (accounts.length === 0) throw new ToolError('the enclave has no earlier root')
  const node = openRegistryNode(chain)
  const moves: Move[] = []
  const busy: Hex[] = []
  for (const { address: from, successor: to } of accounts) {
    const found = await read(chain, node, { from, to })
    if (found === 'busy') {
      busy.push(from)
      continue
    }
    const { balance, value, ...fees } = found
    const move = { from, to, balance: String(balance), sent: '0', transaction: null }
    if (value <= 0n) {
      moves.push(move)
      continue
    }
    const request = { chainId, from, value, ...fees }
    const { serialized } = await enclave.signFormerGasTransfer(request)
    const transaction = await send(chainId, node, serialized)
    const sent = { ...move, sent: String(value), transaction }
    onSent(sent)
    moves.push(sent)
  }
  if (busy.length > 0)
    throw new ToolError(
      `transactions of ${busy.join(' and ')} are still under way on chain ${chainId}: stop the roles with the earlier root, and try again once they are mined or the node has dropped them; other accounts’ coins are moved`,
    )
  return moves
}

type Chain = Pick<ChainConfig, 'chainId' | 'rpcUrls' | 'maxFeeGwei'>

type Accounts = { from: Hex; to: Hex }

async function read(chain: Chain, node: PublicClient, { from, to }: Accounts) {
  const { chainId, rpcUrls } = chain
  try {
    const dataFees = createRollupDataFees(createChainNodes(rpcUrls), chainId)
    const [balance, nonce, next, gas, fees, dataFee] = await Promise.all([
      node.getBalance({ address: from }),
      node.getTransactionCount({ address: from }),
      node.getTransactionCount({ address: from, blockTag: 'pending' }),
      node.estimateGas({ account: from, to, value: 0n }),
      node.estimateFeesPerGas(),
      dataFees.of({ to, data: '0x' }),
    ])
    if (next > nonce) return 'busy'
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    // A node that shares in its blocks' fees could otherwise have the accounts' coins.
    if (maxFeePerGas > findGasPriceCap(chain))
      throw new ToolError(
        `the node of chain ${chainId} wants ${formatGwei(maxFeePerGas)} gwei for gas, above the chain’s maxFeeGwei: name another node first in rpcUrls, or raise it`,
      )
    // The fee for the data changes with the parent chain's fees.
    const value = balance - gas * maxFeePerGas - 2n * dataFee
    return { balance, value, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }
  } catch (error) {
    throw error instanceof ToolError ? error : describeUnreadable(chainId, error)
  }
}

async function send(chainId: number, node: PublicClient, serializedTransaction: Hex): Promise<Hex> {
  try {
    await node.sendRawTransaction({ serializedTransaction })
    // The node could name another transaction, or write to the terminal.
    return keccak256(serializedTransaction)
  } catch (error) {
    const refused =
      error instanceof BaseError && error.walk((one) => one instanceof RpcRequestError)
    const reason = refused instanceof RpcRequestError ? detailOf(refused) : 'no answer'
    throw new ToolError(`the node of chain ${chainId} refuses the payment (${reason}): try again`)
  }
}
