/**
 * A sender that dies by kill -9 at a moment of a transaction's life. Arguments: database URL, RPC URL,
 * account's number, the phase, which effect to die at, and at the how manieth time.
 */
import { startSender } from '../../../services/chain/transactions/startSender.ts'
import { createLocalSigner, createNumberedAccount } from './localSigner.ts'

const [databaseUrl = '', rpc = '', number, phase, effect, time] = process.argv.slice(2)
const account = createNumberedAccount(Number(number))
let left = Number(time)

startSender({
  databaseUrl,
  chain: { name: 'base_sepolia', chainId: 84_532, rpcUrls: [rpc], confirmations: 1 },
  account: account.address,
  sign: createLocalSigner(account),
  pollMs: 50,
  bumpAfterMs: 200,
  onPhase: (reached, transaction) => {
    if (reached !== phase || transaction.effect !== effect) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  },
})
