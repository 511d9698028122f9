import { BaseError, createPublicClient, RpcRequestError } from 'viem'
import { isUndecodable } from '../../sdk/errors/toCairnError.ts'
import { detailOf } from '../../services/chain/transactions/simulateCall.ts'
import type { ChainConfig } from '../../services/config/chainConfig.ts'
import { createCheckedHttpTransport, NonsenseAnswerError } from '../checkedHttpTransport.ts'
import { ToolError } from '../commandLine.ts'

/** The node that is asked about a chain's registry: the first of `rpcUrls`. */
export function openRegistryNode({ rpcUrls: [url = ''] }: Pick<ChainConfig, 'rpcUrls'>) {
  return createPublicClient({
    transport: createCheckedHttpTransport(url, { timeout: 30_000, retryCount: 1 }),
  })
}

/**
 * What to tell an operator whose chain's node can't be read. Never shows the node's URL, which may hold a key.
 *
 * @param host the node's, if others are asked too
 */
export function describeUnreadable(chainId: number, error: unknown, host?: string): ToolError {
  const node =
    host === undefined ? `the node of chain ${chainId}` : `chain ${chainId}’s node ${host}`
  const remedy =
    host === undefined ? 'name another node first in rpcUrls' : 'name another node in its place'
  const nonsense = findCause(error, NonsenseAnswerError)
  if (nonsense !== null)
    return new ToolError(`${node} answers ${nonsense.method} with nonsense: ${remedy}`)
  const refused = findCause(error, RpcRequestError)
  if (refused !== null)
    return new ToolError(`${node} refuses to be read (${detailOf(refused)}): ${remedy}`)
  if (error instanceof BaseError && isUndecodable(error))
    return new ToolError(
      `${node} answers eth_call with what no registry answers: check registry in the chains file, or ${remedy}`,
    )
  const words = error instanceof BaseError ? error.shortMessage.replace(/\.$/, '') : 'no answer'
  return new ToolError(`${node} can’t be read: ${words}: check it, or ${remedy}`)
}

function findCause<Cause extends Error>(
  error: unknown,
  kind: new (...args: never[]) => Cause,
): Cause | null {
  const found = error instanceof BaseError ? error.walk((one) => one instanceof kind) : null
  return found instanceof kind ? found : null
}
