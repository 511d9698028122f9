import { callerTag, recipientTag } from '../keys/tags.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { OperationContext } from '../operationContext.ts'

/** Tags of recipients, one per root, so that a row written under an older root is found too. */
export function tagRecipients(
  { keyring }: OperationContext,
  { recipients }: CheckedRequest<'tagRecipients'>,
): ResponseOf<'tagRecipients'> {
  return {
    tags: recipients.map((recipient) => keyring.roots.map((root) => recipientTag(root, recipient))),
  }
}

/** A caller's tag, under the current root. */
export function tagCaller(
  { keyring }: OperationContext,
  { caller }: CheckedRequest<'tagCaller'>,
): ResponseOf<'tagCaller'> {
  return { tag: callerTag(keyring.roots[0], caller) }
}
