import { computeCallerTag, computeRecipientTag } from '../keys/recipientTag.ts'
import type { Handler } from '../operationContext.ts'

/** Tags of recipients, one per root, so that rows from an older root are found too. */
export const tagRecipients: Handler<'tagRecipients'> = ({ keyring }, { recipients }) => {
  return {
    tags: recipients.map((recipient) =>
      keyring.roots.map((root) => computeRecipientTag(root, recipient)),
    ),
  }
}

/** A caller's tag, under the current root. */
export const tagCaller: Handler<'tagCaller'> = ({ keyring }, { caller }) => {
  return { tag: computeCallerTag(keyring.roots[0], caller) }
}
