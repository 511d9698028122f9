import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The reference's folder. */
export const REFERENCE = fileURLToPath(new URL('../../docs/sdk/', import.meta.url))

/**
 * A digest of the SDK's declarations with their docstrings, from which the reference is generated. A test compares it to
 * tell whether the reference is up to date.
 *
 * @param types the folder of all declarations
 */
export function hashDeclarations(types: string): string {
  const folder = join(types, 'sdk')
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const texts = paths
    .filter((path) => path.endsWith('.d.ts'))
    .sort()
    .map((path) => `${path}\n${readFileSync(join(folder, path), 'utf8')}`)
  return hash('sha256', texts.join('\n')).slice(0, 16)
}
