import { createHash } from 'node:crypto'
import type { Address } from 'viem'
import { drawFor } from './seededRandom.ts'

/** The recipients of a delivery and their amounts. The addresses are fresh. */
export type Recipients = { recipients: Address[]; amounts: bigint[] }

/** Splits `amountB` among `count` recipients: the amounts add up to it and none is zero. */
export function drawRandomRecipients(
  seed: number,
  intentId: bigint,
  count: number,
  amountB: bigint,
): Recipients {
  const draw = drawFor(seed, 'recipients', intentId)
  const parts = Array.from({ length: count }, () => BigInt(draw.between(10, 100)))
  const whole = parts.reduce((sum, part) => sum + part, 0n)
  const amounts = parts.map((part) => (amountB * part) / whole)
  const rest = amountB - amounts.reduce((sum, amount) => sum + amount, 0n)
  amounts[0] = (amounts[0] ?? 0n) + rest
  const recipients = parts.map((_, position) => freshAddress(`${seed}/${intentId}/${position}`))
  return { recipients, amounts }
}

function freshAddress(label: string): Address {
  return `0x${createHash('sha256').update(`recipient/${label}`).digest('hex').slice(0, 40)}`
}
