import {
  encodeFunctionData,
  type Hex,
  type PublicClient,
  parseAbi,
  serializeTransaction,
} from 'viem'
import { StaleWhileRevalidate } from '../../store/cache/staleWhileRevalidate.ts'
import { lowerMedian, upperMedian } from './medians.ts'
import type { Nodes } from './nodes.ts'
import { revertIn } from './simulateCall.ts'

/** What a call's data costs on the parent chain: wei, in addition to the gas. */
export type DataFees = {
  /** 0 on chains that ask for no such fee. @throws what keeps the chain's nodes from answering */
  of(call: { to: Hex; data: Hex }): Promise<bigint>
}

/** `GasPriceOracle` of the OP stack has this address on each of its chains. */
export const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F'

const abi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])

/** Milliseconds after which a chain without an oracle is asked for one again. */
const LIFE = { freshFor: 600_000, keptFor: 600_000 }

/** Fees of the largest kind: a signature isn't known yet, and the oracle adds its bytes itself. */
const UNSIGNED = {
  type: 'eip1559',
  nonce: 1_000_000,
  gas: 16_000_000n,
  maxFeePerGas: 10n ** 12n,
  maxPriorityFeePerGas: 10n ** 12n,
} as const

/** Asks a chain's own oracle, where one is: chains of the OP stack are known by its code. */
export function dataFees(nodes: Pick<Nodes, 'queryAll'>, chainId: number): DataFees {
  const reading = new StaleWhileRevalidate<boolean>(LIFE)
  let isKnown = false

  const look = async () => {
    const said = await nodes.queryAll(async (client) => {
      const code = await client.getCode({ address: GAS_PRICE_ORACLE })
      return (code ?? '0x') !== '0x'
    }, String)
    // Where there is none a node’s answer costs nothing, so one of two is enough.
    return upperMedian(said.map(Number)) === 1
  }

  return {
    async of({ to, data }) {
      isKnown ||= (await reading.get(look)).value
      if (!isKnown) return 0n
      const bytes = serializeTransaction({ ...UNSIGNED, chainId, to, data })
      const asked = encodeFunctionData({ abi, functionName: 'getL1Fee', args: [bytes] })
      // Of two that differ the lower: a fee that is invented would stop everything.
      return lowerMedian(await nodes.queryAll((client) => feeAt(client, asked), String))
    },
  }
}

async function feeAt(client: Pick<PublicClient, 'call'>, data: Hex): Promise<bigint> {
  try {
    const { data: answer } = await client.call({ to: GAS_PRICE_ORACLE, data })
    return answer === undefined || answer === '0x' ? 0n : BigInt(answer.slice(0, 66))
  } catch (error) {
    // Something else is at the address.
    if (revertIn(error)) return 0n
    throw error
  }
}
