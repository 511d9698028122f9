import { bytesToHex, hexToBytes, keccak256, numberToHex } from 'viem'
import { listSealingKeySlots } from '../../../core/proof/storage/storageSlots.ts'
import { SIGNABLE_PHASES } from '../../../core/settlement/attestationRefusals.ts'
import { attestation } from '../../../sdk/intent/attestationTypedData.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { VerifiedIntentEvidence } from '../evidence/verifyIntentEvidence.ts'
import { readProven } from '../evidence/verifyStorageEvidence.ts'
import type { Handler } from '../operationContext.ts'
import { calculateRecipientPayments } from '../settle/calculateRecipientPayments.ts'
import { sealToWinner } from '../settle/sealToWinner.ts'
import { toWinnerFields, verifyConfirmedIntent } from '../settle/verifyDeliveryEvidence.ts'
import { signWithAttesterKey } from './signWithAttesterKey.ts'

/** Seals an intent's recipients to the winner's key on chain. */
export const revealToWinner: Handler<'revealToWinner'> = async (context, { intent: evidence }) => {
  const won = await verifyConfirmedIntent(context, evidence, SIGNABLE_PHASES.reveal)
  const payments = calculateRecipientPayments(context, won)
  const { chain, record } = won
  const about = toWinnerFields(won)
  const { chainId, bridge } = chain
  const { recipientClass } = record
  const reveal = { chainId, bridge, ...about, recipientClass }
  const sealed = sealToWinner(payments.root, reveal, await readSealingKey(won), payments)
  const message = { ...about, sealedHash: keccak256(sealed) }
  const signed = await signWithAttesterKey(context, attestation(chain, 'Reveal', message))
  const { recipients, amounts, deliveryKey, replaced, namingHash } = payments
  const revealed = { recipients, amounts, deliveryKey, replaced, namingHash }
  return { ...signed, sealed: bytesToHex(sealed), ...revealed }
}

async function readSealingKey({ storage, record }: VerifiedIntentEvidence): Promise<Uint8Array> {
  const [x, y] = await readProven(() =>
    Promise.all(listSealingKeySlots(record.solver).map(storage.read)),
  )
  if (!x || !y) throw new EnclaveError('NO_SEALING_KEY')
  return hexToBytes(`0x04${word(x)}${word(y)}`)
}

function word(value: bigint): string {
  return numberToHex(value, { size: 32 }).slice(2)
}
