import { type Address, erc20Abi } from 'viem'
import type { SeenChain } from '../plan/snapshot.ts'
import { BATCH_BYTES } from './readSource.ts'
import type { SolverChain } from './solverChain.ts'

/** What the account has on a chain at a block, and what the bridge may take of it. */
export async function readPurse(
  { client, bridge }: SolverChain,
  account: Address,
  tokens: readonly Address[],
  blockNumber: bigint,
): Promise<Pick<SeenChain, 'native' | 'balances' | 'allowances'>> {
  const [native, answers] = await Promise.all([
    client.getBalance({ address: account, blockNumber }),
    client.multicall({
      allowFailure: false,
      blockNumber,
      batchSize: BATCH_BYTES,
      contracts: tokens.flatMap((address) => [
        { address, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const,
        { address, abi: erc20Abi, functionName: 'allowance', args: [account, bridge] } as const,
      ]),
    }),
  ])
  const amounts = answers as readonly bigint[]
  const at = (offset: number) =>
    new Map(
      tokens.map((token, position) => [token.toLowerCase(), amounts[2 * position + offset] ?? 0n]),
    )
  return { native, balances: at(0), allowances: at(1) }
}
