import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { orderKeyTypedData } from '../../../sdk/messages/orderKeyTypedData.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { deriveKey, KEY_PURPOSE } from '../keys/deriveKey.ts'
import { deriveAccount } from '../keys/keyring.ts'
import type { Handler, OperationContext } from '../operationContext.ts'
import { signTyped } from '../operations/signWithAttesterKey.ts'

/** Private key to which orders are encrypted, 32 bytes. */
export function deriveOrderEciesKey(root: Uint8Array): Uint8Array {
  return deriveKey(root, KEY_PURPOSE.orderEcies())
}

/** Pays the orders' gas. */
export function deriveOrderAccount({
  keyring,
}: Pick<OperationContext, 'keyring'>): PrivateKeyAccount {
  const [newest] = keyring.roots
  return deriveAccount(newest, KEY_PURPOSE.orderAccount())
}

export const orderKeys: Handler<'orderKeys'> = async (context) => {
  const [newest] = context.keyring.roots
  const eciesPublicKey = bytesToHex(secp256k1.getPublicKey(deriveOrderEciesKey(newest), false))
  return {
    eciesPublicKey,
    account: deriveOrderAccount(context).address.toLowerCase() as Hex,
    ...(await signTyped(context.attester.current, orderKeyTypedData(eciesPublicKey))),
  }
}
