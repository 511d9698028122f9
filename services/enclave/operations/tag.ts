import { callerTag, recipientTag } from '../keys/tags.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'

/** What stands for recipients, by each root: a row that was written under an older one is found too. */
export function tagRecipients(
  { keyring }: Room,
  { recipients }: CheckedRequest<'tagRecipients'>,
): ResponseOf<'tagRecipients'> {
  return {
    tags: recipients.map((recipient) => keyring.roots.map((root) => recipientTag(root, recipient))),
  }
}

/** What stands for a caller, under the current root. */
export function tagCaller(
  { keyring }: Room,
  { caller }: CheckedRequest<'tagCaller'>,
): ResponseOf<'tagCaller'> {
  return { tag: callerTag(keyring.roots[0], caller) }
}
