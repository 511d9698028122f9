import { type AbiFunction, type Hex, numberToHex, toFunctionSelector } from 'viem'
import { RelayerError } from './relayerError.ts'

/** The error for an answer that isn't what was asked for. */
export function invalidAnswer(message: string): RelayerError {
  return new RelayerError({ code: 'ANSWER_INVALID', message, status: 200 })
}

/**
 * The answer, if it is about this intent: a confused cache could pass another's end for it.
 *
 * @throws RelayerError `ANSWER_INVALID`
 */
export function requireSameIntent<Answer extends { intentId: bigint }>(
  answer: Answer,
  intentId: bigint,
): Answer {
  if (answer.intentId === intentId) return answer
  throw invalidAnswer(`the relayer answered with intent ${answer.intentId}, not ${intentId}`)
}

/**
 * The answer, if its call is of this function for this intent: whoever sends it mustn't find that it moves tokens.
 *
 * @throws RelayerError `ANSWER_INVALID`
 */
export function requireOwnCall<Answer extends { intentId: bigint; call: { data: Hex } }>(
  answer: Answer,
  intentId: bigint,
  item: AbiFunction,
): Answer {
  const { call } = requireSameIntent(answer, intentId)
  const start = toFunctionSelector(item) + numberToHex(intentId, { size: 32 }).slice(2)
  if (call.data.toLowerCase().startsWith(start)) return answer
  throw invalidAnswer(`the relayer’s call isn’t ${item.name} of intent ${intentId}: don’t send it`)
}
