import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Handler } from '../operationContext.ts'

/**
 * Rotates the attestation key in two steps, with the new key's registration between them: until then the old one signs,
 * so that no settlement waits.
 */
export const rotateAttester: Handler<'rotateAttester'> = async ({ attester }, { step }) => {
  await attester[step]()
  return {
    attester: attester.current.address.toLowerCase() as Hex,
    nextAttester: (attester.next?.address.toLowerCase() ?? null) as Hex | null,
  }
}
