import type { Hex } from '../../src/event/bridgeEvent.ts'
import { CREATIONS, type CreationName, KEY_ID } from './catalogue.ts'
import type { Model } from './model.ts'

/**
 * Whether the sender of an intent has named exactly these, in this order, by its creation, a call or a
 * signature; a wallet's Safe stands for the wallet. In compat anybody's word may do where the sender said
 * nothing.
 */
export function senderSaid(
  { world, catalogue }: Model,
  creation: CreationName,
  revealed: readonly Hex[],
): boolean {
  const { names } = CREATIONS[creation]
  const isSilent = names === null && world.mode === 'compat'
  const words: readonly (readonly Hex[])[] = [
    ...(names === null ? [] : [names]),
    ...world.calls.map((one) => one.names),
    ...world.proposals.filter(({ isSigned }) => isSigned || isSilent).map((one) => one.names),
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
