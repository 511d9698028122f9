/**
 * A sender that dies by kill -9 at a moment of a transaction's life. Arguments: database URL, RPC URL,
 * account's number, the phase, and which effect to die at.
 */
import { startSender } from '../../../services/chain/transactions/startSender.ts'
import { localSigner, numberedAccount } from './localSigner.ts'

const [databaseUrl = '', rpc = '', number, phase, effect] = process.argv.slice(2)
const account = numberedAccount(Number(number))

startSender({
  databaseUrl,
  chain: { name: 'base_sepolia', chainId: 84_532, rpcUrls: [rpc], confirmations: 1 },
  account: account.address,
  sign: localSigner(account),
  pollMs: 50,
  onPhase: (reached, transaction) => {
    if (reached === phase && transaction.effect === effect) process.kill(process.pid, 'SIGKILL')
  },
})
