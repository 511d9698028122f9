import { bytesToHex, hexToBytes, keccak256, numberToHex } from 'viem'
import { listSealingKeySlots } from '../../../core/proof/storage/findStorageSlots.ts'
import { SIGNABLE_PHASES } from '../../../core/settlement/decideAttestation.ts'
import { attestation } from '../../../sdk/intent/attestations.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { OpenedIntent } from '../evidence/openIntent.ts'
import { readProven } from '../evidence/openStorage.ts'
import type { Handler } from '../operationContext.ts'
import { openConfirmedIntent, toWinnerFields } from '../settle/openDelivery.ts'
import { calculateWinnerPayments } from '../settle/paymentsToWinner.ts'
import { sealToWinner } from '../settle/sealToWinner.ts'
import { signMessage } from './signMessage.ts'

/** Seals an intent's recipients to the winner's key on chain. */
export const revealToWinner: Handler<'revealToWinner'> = async (context, { intent: evidence }) => {
  const won = await openConfirmedIntent(context, evidence, SIGNABLE_PHASES.reveal)
  const payments = calculateWinnerPayments(context, won)
  const { chain, record } = won
  const about = toWinnerFields(won)
  const { chainId, bridge } = chain
  const { recipientClass } = record
  const reveal = { chainId, bridge, ...about, recipientClass }
  const sealed = sealToWinner(payments.root, reveal, await readSealingKey(won), payments)
  const message = { ...about, sealedHash: keccak256(sealed) }
  const signed = await signMessage(context, attestation(chain, 'Reveal', message))
  const { recipients, amounts, deliveryKey, replaced, namingHash } = payments
  const revealed = { recipients, amounts, deliveryKey, replaced, namingHash }
  return { ...signed, sealed: bytesToHex(sealed), ...revealed }
}

async function readSealingKey({ storage, record }: OpenedIntent): Promise<Uint8Array> {
  const [x, y] = await readProven(() =>
    Promise.all(listSealingKeySlots(record.solver).map(storage.read)),
  )
  if (!x || !y) throw new EnclaveError('NO_SEALING_KEY')
  return hexToBytes(`0x04${word(x)}${word(y)}`)
}

function word(value: bigint): string {
  return numberToHex(value, { size: 32 }).slice(2)
}
