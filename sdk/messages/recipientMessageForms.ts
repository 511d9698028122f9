import { getAddress, hashMessage, hashTypedData } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { deploySafeMessage } from './deploySafeMessage.ts'
import { deriveStealthKeyChallenge, deriveStealthKeyMessage } from './deriveStealthKeyMessages.ts'
import {
  deploySafeTypedData,
  deriveStealthKeyChallengeTypedData,
  deriveStealthKeyTypedData,
  registerRecipientTypedData,
} from './recipientTypedData.ts'
import { registerRecipientMessage } from './registerRecipientMessage.ts'

/**
 * The forms a signature may cover: the EIP-191 text with addresses as sent (first), checksummed or in lower case, and the
 * EIP-712 form. Wallets differ in how they write addresses.
 */
export type MessageForms = { hashes: [Hex, ...Hex[]] }

export function registerMessageForms(recipient: string): MessageForms {
  const texts = spellings(recipient).map(registerRecipientMessage)
  return statement(texts, hashTypedData(registerRecipientTypedData(lower(recipient))))
}

export function deriveMessageForms(recipient: string, stealth: string): MessageForms {
  const texts = pairs(recipient, stealth).map(([one, other]) => deriveStealthKeyMessage(one, other))
  const typed = deriveStealthKeyTypedData(lower(recipient), lower(stealth))
  return statement(texts, hashTypedData(typed))
}

/** With `sealTo`, there is no EIP-712 form. @param timestamp unix seconds */
export function challengeMessageForms(
  recipient: string,
  stealth: string,
  { timestamp, sealTo }: { timestamp: number; sealTo?: Hex | undefined },
): MessageForms {
  const texts = pairs(recipient, stealth).map(([one, other]) =>
    deriveStealthKeyChallenge(one, other, timestamp, sealTo),
  )
  if (sealTo !== undefined) return statement(texts)
  const typed = deriveStealthKeyChallengeTypedData(lower(recipient), lower(stealth), timestamp)
  return statement(texts, hashTypedData(typed))
}

export function deploySafeMessageForms(stealth: string, chainId: number): MessageForms {
  const texts = spellings(stealth).map((one) => deploySafeMessage(one, chainId))
  return statement(texts, hashTypedData(deploySafeTypedData(lower(stealth), chainId)))
}

function statement([asSent = '', ...others]: readonly string[], ...typed: Hex[]): MessageForms {
  return { hashes: [hashMessage(asSent), ...others.map((text) => hashMessage(text)), ...typed] }
}

/** The address as given, then the ways in which wallets write it. */
function spellings(address: string): string[] {
  return [...new Set([address, getAddress(lower(address)), lower(address)])]
}

function pairs(one: string, other: string): [string, string][] {
  return spellings(one).flatMap((first) =>
    spellings(other).map((second): [string, string] => [first, second]),
  )
}

function lower(address: string): Hex {
  return address.toLowerCase() as Hex
}
