/**
 * The relayer's sender that dies by kill -9 when a Safe's transaction comes to a phase. Arguments:
 * database URL, RPC URL, bridge, the phase.
 */
import { startSender } from '../../../services/chain/transactions/startSender.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import { createEnclaveTransactionSigner } from '../../../services/relayer/recipients/sponsored/enclaveTransactionSigner.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'

const [databaseUrl = '', rpc = '', bridge = '', phase] = process.argv.slice(2)
const chain: ChainConfig = {
  name: 'horizen_testnet',
  chainId: 2651420,
  rpcUrls: [rpc],
  confirmations: 1,
  bridge: bridge as `0x${string}`,
  startBlock: 0,
}
const root = new Uint8Array(32).fill(7)
const enclave = await createEnclave({ roots: [root], chains: toEnclaveChains([chain]) })
const { relayer: account } = await enclave.publicKeys()
const { db } = openDatabase({ databaseUrl })

startSender({
  databaseUrl,
  chain,
  account,
  sign: createEnclaveTransactionSigner(db, enclave),
  pollMs: 50,
  onPhase: (reached, { kind }) => {
    if (reached === phase && kind === 'relaySafe') process.kill(process.pid, 'SIGKILL')
  },
})
