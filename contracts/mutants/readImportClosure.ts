import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

/** The remappings of foundry.toml, to paths below the project's root. */
const packages: Record<string, string> = {
  '@openzeppelin/contracts/': 'node_modules/@openzeppelin/contracts/',
  'forge-std/': 'node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/',
}

/** Sources by path below the root, in the order found. */
export type Sources = Map<string, string>

/**
 * A Solidity file and everything it imports.
 *
 * @param root the project's root or a copy's
 * @param file path below the root
 */
export async function readImportClosure(root: string, file: string): Promise<Sources> {
  const found: Sources = new Map()
  const waiting = [file]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    const source = await readFile(join(root, next), 'utf8')
    found.set(next, source)
    waiting.push(...importsOf(next, source))
  }
  return found
}

function importsOf(file: string, source: string): string[] {
  const imports = source.matchAll(/^import\s[^"']*["']([^"']+)["'];/gm)
  return [...imports].map(([, target = '']) => {
    if (target.startsWith('.')) return normalize(join(dirname(file), target))
    const prefix = Object.keys(packages).find((name) => target.startsWith(name))
    return prefix === undefined ? target : packages[prefix] + target.slice(prefix.length)
  })
}
