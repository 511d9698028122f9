import { readFileSync, statSync } from 'node:fs'
import { isReadableByOthers } from './isReadableByOthers.ts'

/**
 * Reads a private key from a file that only its owner may read. Adds problems to `problems`; they name the file but
 * never its content.
 *
 * @param variable the variable that names the file
 * @returns 32 bytes as hex; null when there is no usable key
 */
export function readKeyFile(
  variable: string,
  path: string,
  problems: string[],
): `0x${string}` | null {
  const at = (problem: string) => void problems.push(`${variable} (${path}): ${problem}`)
  let text: string
  try {
    if (isReadableByOthers(statSync(path))) {
      at('others on this machine may read it; run chmod 600 on it')
      return null
    }
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    at(`can't be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`)
    return null
  }
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1]
  if (digits === undefined) at('expected 64 hex digits and nothing else')
  return digits === undefined ? null : `0x${digits.toLowerCase()}`
}
