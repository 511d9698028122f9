import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { formatChainName } from '../../parts/formatChainName.ts'
import type { WalletProvider } from '../wallet/walletProvider.ts'

type Block = { chainId: number; blockNumber: number; blockHash: Hex }

/** The node's answer: the same block, a different one, or none because it is on another chain or fails. */
type Confirmation = { state: 'passed' | 'failed' | 'elsewhere' | 'unknown'; words: string }

/** Asks a wallet's node whether it has a block at its height. */
export async function confirmBlockByWalletNode(
  provider: WalletProvider,
  block: Block,
): Promise<Confirmation> {
  try {
    const chainId = Number(await provider.request({ method: 'eth_chainId' }))
    if (chainId !== block.chainId)
      return { state: 'elsewhere', words: `your wallet is on ${formatChainName(chainId)}` }
    const number = `0x${block.blockNumber.toString(16)}`
    const params = [number, false]
    const found = await provider.request({ method: 'eth_getBlockByNumber', params })
    const { hash } = (found ?? {}) as { hash?: unknown }
    if (hash === undefined || hash === null)
      return { state: 'unknown', words: 'your wallet’s node doesn’t have this block' }
    if (hash === block.blockHash) return { state: 'passed', words: 'yes, says your wallet’s node' }
    return { state: 'failed', words: `no: your wallet’s node has ${String(hash)}` }
  } catch {
    return { state: 'unknown', words: 'your wallet’s node doesn’t answer' }
  }
}
