import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { IntentTerms } from './intentTerms.ts'

/** A recipient that is a Safe of ours, by its position among the recipients. */
export type ShieldedRecipient = {
  position: number
  /** The registered wallet that the Safe was made for. */
  wallet: Hex
  /** 0 unless one wallet is paid more than once in an intent. */
  index: number
}

/** Recipients as they are sealed and revealed. */
export type RevealedRecipients = { recipients: Hex[]; shielded: ShieldedRecipient[] }

/**
 * Replaces each recipient that is a registered wallet by the fresh Safe of this delivery, and finds
 * the Safes that were given out for this intent. The same for every repeat; one shielded recipient
 * makes the intent shielded.
 *
 * @param caller what stands for whoever brings the bundle without a signature, if that is known
 */
export type ShieldRecipients = (
  terms: IntentTerms,
  recipients: readonly Hex[],
  caller?: Hex | null,
) => Promise<RevealedRecipients>

/** For a deployment that gives out no stealth addresses: every recipient is paid as it is. */
export const leaveUnshielded: ShieldRecipients = async (_terms, recipients) => ({
  recipients: [...recipients],
  shielded: [],
})
