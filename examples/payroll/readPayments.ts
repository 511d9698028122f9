import { readFileSync } from 'node:fs'
import { formatUnits, isAddress, parseUnits } from 'viem'
import { ExampleError } from '../runExample.ts'
import type { Payment } from './runPayroll.ts'

/**
 * Reads a list of payments: a line each, `address,amount` in USDC. Blank lines are skipped. An address that is listed twice is
 * refused: it would be paid twice.
 *
 * @throws with the line's number
 */
export function readPayments(path: string): Payment[] {
  const lines = readLines(path)
  const seenAt = new Map<string, number>()
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const [address = '', amount = '', ...more] = line.split(',').map((text) => text.trim())
    // A third part could be the rest of an amount like "1,000".
    if (!isAddress(address) || !/^\d+(\.\d{1,6})?$/.test(amount) || more.length > 0) {
      throw new ExampleError(
        `${path}:${index + 1}: expected "address,amount", such as "0x…,1250.50"`,
      )
    }
    const earlier = seenAt.get(address.toLowerCase())
    if (earlier !== undefined) {
      throw new ExampleError(
        `${path}:${index + 1}: the address of line ${earlier} again: delete one, or add them up`,
      )
    }
    seenAt.set(address.toLowerCase(), index + 1)
    return [{ address, amount: parseUnits(amount, 6) }]
  })
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (error) {
    throw new ExampleError(`--file ${path} can't be read: ${(error as Error).message}`)
  }
}

/** A line of such a list. */
export function writePayment({ address, amount }: Payment): string {
  return `${address},${formatUnits(amount, 6)}`
}
