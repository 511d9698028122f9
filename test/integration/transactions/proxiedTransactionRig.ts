import type { StartSenderOptions } from '../../../services/chain/transactions/startSender.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { CHAIN_ID, startTransactionRig, type TransactionRig } from './transactionRig.ts'

export type ProxiedTransactionRig = TransactionRig & {
  /** Records calls to the node, and injects faults. */
  proxy: FaultyRpc
  /** Starts a sender that reaches the node through the proxy only. */
  startBehindProxy(options?: Partial<StartSenderOptions>): ReturnType<TransactionRig['start']>
}

/** Starts a transaction rig with a proxy in front of its node. */
export async function startProxiedTransactionRig(): Promise<ProxiedTransactionRig> {
  const rig = await startTransactionRig()
  const proxy = await startFaultyRpc(rig.node.rpc)
  const { stop } = rig
  const chain = { name: 'base_sepolia', chainId: CHAIN_ID, rpcUrls: [proxy.url], confirmations: 1 }
  return Object.assign(rig, {
    proxy,
    startBehindProxy: (options: Partial<StartSenderOptions> = {}) =>
      rig.start({ chain, ...options }),
    async stop() {
      await proxy.close()
      await stop()
    },
  })
}
