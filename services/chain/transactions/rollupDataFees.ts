import {
  encodeFunctionData,
  type Hex,
  isHex,
  type PublicClient,
  parseAbi,
  serializeTransaction,
} from 'viem'
import { cachedFor } from '../../store/cache/staleWhileRevalidate.ts'
import type { ChainNodes } from './chainNodes.ts'
import { findLowerMedian, findUpperMedian } from './medianAndMajority.ts'
import { revertOf } from './simulateCall.ts'

/** Prices of data on the parent chain. */
export type RollupDataFees = {
  /** Wei that a call's data costs in addition to its gas; 0 on chains without such a fee. @throws if no node answers */
  of(call: { to: Hex; data: Hex }): Promise<bigint>
}

/** Address of `GasPriceOracle` on every OP stack chain. */
export const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F'

const abi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])

/** Milliseconds until a chain without an oracle is checked for one again. */
const RECHECK_MS = 600_000

/** Values of the greatest length, since the real ones aren't known yet. The oracle adds the signature's bytes itself. */
const UNSIGNED = {
  type: 'eip1559',
  nonce: 1_000_000,
  gas: 16_000_000n,
  maxFeePerGas: 10n ** 12n,
  maxPriorityFeePerGas: 10n ** 12n,
} as const

/** Asks a chain's `GasPriceOracle`, whose code identifies chains of the OP stack. */
export function createRollupDataFees(
  nodes: Pick<ChainNodes, 'queryAll'>,
  chainId: number,
): RollupDataFees {
  let hasOracle = false
  const findOracle = cachedFor(RECHECK_MS, async () => {
    const answers = await nodes.queryAll(async (client) => {
      const code = await client.getCode({ address: GAS_PRICE_ORACLE })
      return (code ?? '0x') !== '0x'
    }, String)
    // One of two is enough: asking an oracle that doesn't exist returns a fee of 0.
    return findUpperMedian(answers.map(Number)) === 1
  })

  return {
    async of({ to, data }) {
      hasOracle ||= await findOracle()
      if (!hasOracle) return 0n
      // No node and no signer takes what isn't bytes.
      if (!isHex(data) || data.length % 2 === 1) return 0n
      const bytes = serializeTransaction({ ...UNSIGNED, chainId, to, data })
      const question = encodeFunctionData({ abi, functionName: 'getL1Fee', args: [bytes] })
      // The lower of two: an invented fee would stop everything.
      return findLowerMedian(await nodes.queryAll((client) => feeAt(client, question), String))
    },
  }
}

async function feeAt(client: Pick<PublicClient, 'call'>, data: Hex): Promise<bigint> {
  try {
    const { data: answer } = await client.call({ to: GAS_PRICE_ORACLE, data })
    if (answer === undefined || answer === '0x') return 0n
    // Of two nodes the lower fee counts, which must not be a negative one.
    if (!/^0x[\da-f]+$/i.test(answer)) throw new TypeError('a node’s data fee is not hex')
    return BigInt(answer.slice(0, 66))
  } catch (error) {
    // Another contract has the address.
    if (revertOf(error)) return 0n
    throw error
  }
}
