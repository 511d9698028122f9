import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g

/** Test files, as paths from `root`, that load a package directly or through their imports. */
export function findFilesThatImport(packageName: string, pattern: string, root: string): string[] {
  const imports = new Map<string, string[]>()
  return globSync(pattern, { cwd: root })
    .filter((file) => loadedBy(join(root, file), imports).has(packageName))
    .toSorted()
}

/** Everything a file imports, directly or not: project files by path, packages by name. */
function loadedBy(file: string, imports: Map<string, string[]>): Set<string> {
  const loaded = new Set([file])
  // Iterating a set also visits what is added meanwhile.
  for (const one of loaded) for (const name of importsOf(one, imports)) loaded.add(name)
  return loaded
}

function importsOf(file: string, imports: Map<string, string[]>): string[] {
  if (!isAbsolute(file)) return []
  const known = imports.get(file)
  if (known) return known
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const found = [...text.matchAll(IMPORT)].map(([, name = '']) =>
    name.startsWith('.') ? join(dirname(file), name) : name,
  )
  imports.set(file, found)
  return found
}
