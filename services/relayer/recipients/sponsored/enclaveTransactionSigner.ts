import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { SignTransaction } from '../../../chain/transactions/senderContext.ts'
import type { Transaction } from '../../../chain/transactions/transactionRow.ts'
import type { Enclave } from '../../../enclave/enclaveInterface.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { findEntryOfSafe } from '../entries/findStealthEntries.ts'
import { isSponsored } from './sponsorContext.ts'

/**
 * Signs with the enclave's relayer account. For a transaction about a Safe, passes that Safe's ticket, with which the
 * enclave checks that it issued the Safe.
 */
export function createEnclaveTransactionSigner(
  db: Db,
  enclave: Pick<Enclave, 'signTransaction'>,
): SignTransaction {
  return async (transaction, row) => {
    const { chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
    const ticket = await ticketFor(db, row)
    return enclave.signTransaction({
      chainId,
      nonce,
      to,
      data,
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
      ...(ticket && { ticket }),
    })
  }
}

async function ticketFor(
  db: Db,
  { kind, chainId, effect, to }: Transaction,
): Promise<Hex | undefined> {
  if (!isSponsored(kind)) return undefined
  // A deployment's effect is its Safe's address; its call goes to the factory.
  const safe = kind === 'deploySafe' ? (effect as Hex) : to
  return (await findEntryOfSafe(db, chainId, safe))?.ticket
}
