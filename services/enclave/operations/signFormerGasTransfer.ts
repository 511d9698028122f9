import { keccak256 } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import { KEY_PURPOSE } from '../keys/deriveKey.ts'
import { deriveAccount, type Keyring } from '../keys/keyring.ts'
import { type Handler, requireChain } from '../operationContext.ts'
import { isBounded } from '../transactions/transactionPolicy.ts'

export const formerGasAccounts: Handler<'formerGasAccounts'> = ({ keyring }) => ({
  accounts: deriveFormerGasAccounts(keyring).map(({ account, successor }) => ({
    address: account.address.toLowerCase() as Hex,
    successor,
  })),
})

/** Signs a plain payment from a former gas account to its successor, which the caller can't choose. */
export const signFormerGasTransfer: Handler<'signFormerGasTransfer'> = async (context, request) => {
  const { from, ...transfer } = request
  const chain = requireChain(context, request.chainId)
  const found = deriveFormerGasAccounts(context.keyring).find(
    ({ account }) => account.address.toLowerCase() === from,
  )
  if (found === undefined || !isBounded(chain, transfer))
    throw new EnclaveError('TRANSACTION_NOT_ALLOWED')
  const { account, successor } = found
  const serialized = await account.signTransaction({ ...transfer, type: 'eip1559', to: successor })
  return { serialized, hash: keccak256(serialized), from }
}

/** A gas account of an earlier root, and the newest root's for the same purpose. */
type FormerGasAccount = { account: PrivateKeyAccount; successor: Hex }

/** The gas accounts of the relayer and of the orders under earlier roots, the latest first. */
function deriveFormerGasAccounts({
  roots: [newest, ...former],
}: Pick<Keyring, 'roots'>): FormerGasAccount[] {
  return former.flatMap((root) =>
    [KEY_PURPOSE.relayer(), KEY_PURPOSE.orderAccount()].map((purpose) => ({
      account: deriveAccount(root, purpose),
      successor: deriveAccount(newest, purpose).address.toLowerCase() as Hex,
    })),
  )
}
