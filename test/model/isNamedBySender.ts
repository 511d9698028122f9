import type { Hex } from '../../src/event/bridgeEvent.ts'
import { CREATIONS, type CreationName, KEY_ID } from './catalogue.ts'
import type { Model } from './protocolStateMachine.ts'

/**
 * Whether an intent's sender named exactly these recipients, in this order, at creation, by a call or by signature. A
 * wallet's Safe stands for the wallet. In compat mode an unsigned bundle may count where the sender named nobody.
 */
export function isNamedBySender(
  { scope, catalogue }: Model,
  creation: CreationName,
  revealed: readonly Hex[],
): boolean {
  const { names } = CREATIONS[creation]
  const isSilent = names === null && scope.mode === 'compat'
  const words: readonly (readonly Hex[])[] = [
    ...(names === null ? [] : [names]),
    ...scope.calls.map((one) => one.names),
    ...scope.proposals.filter(({ isSigned }) => isSigned || isSilent).map((one) => one.names),
  ]
  return words.some(
    (word) =>
      word.length === revealed.length &&
      word.every(
        (named, at) => revealed[at] === named || isSafeOf(catalogue, revealed[at]!, named),
      ),
  )
}

function isSafeOf(catalogue: Model['catalogue'], revealed: Hex, wallet: Hex): boolean {
  return [KEY_ID.old, KEY_ID.new].some((keyId) =>
    [0, 1].some((more) => revealed === catalogue.safe(wallet, keyId, 0x80_00 + more)),
  )
}
