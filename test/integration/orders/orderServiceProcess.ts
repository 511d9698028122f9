/**
 * The order service in a process of its own, with its HTTP server and an enclave. Arguments: database URL,
 * chains, the directory of the enclave's keys; and where it shall die, a moment of a transaction's life and
 * the kind of it.
 */
import { pino } from 'pino'
import { startOrdersApi } from '../../../api/orderService/startOrdersApi.ts'
import { createFileStorage } from '../../../services/enclave/keys/sealedStorage.ts'
import { startOrders } from '../../../services/orders/startOrders.ts'
import { createTestEnclave } from './testEnclave.ts'

const [databaseUrl = '', chainsText = '[]', directory = '', phase, kind] = process.argv.slice(2)
const chains = JSON.parse(chainsText)
const enclave = await createTestEnclave(chains, 'strict', { storage: createFileStorage(directory) })
const orders = await startOrders({
  databaseUrl,
  chains,
  enclaves: [enclave],
  relayerUrl: 'http://127.0.0.1:9',
  log: pino({ level: 'silent' }),
  roundMs: 50,
  ledgerMs: 500,
  timeoutMs: 5_000,
  // Nothing is ever delivered where it is killed.
  unpaidGas: 10n ** 12n,
  unpaidGasOfAll: 10n ** 12n,
  sender: { pollMs: 50, leaseMs: 1_000, bumpAfterMs: 1_000, resendAfterMs: 500 },
  onPhase: (reached, transaction) => {
    if (reached === phase && transaction.kind === kind) process.kill(process.pid, 'SIGKILL')
  },
})
const limits = { perSecond: 10_000, burst: 10_000 }
const api = await startOrdersApi({
  orders,
  host: '127.0.0.1',
  port: 0,
  limits: { reads: limits, writes: limits, clientWrites: limits },
})
process.send?.(api.url)
