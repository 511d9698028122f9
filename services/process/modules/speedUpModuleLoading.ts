/**
 * The first import of programs that load many modules: saves most of the processor time of loading. Ponder consists of
 * 1,300 modules, 1,000 of them package files that import each other by relative paths.
 *
 * - The largest packages are loaded from the few files into which prebundleDependencies.ts bundled them.
 * - For every other package file, Node would parse the package's manifest again. Here each folder is checked for ES
 *   modules once, by Node's own rule: the nearest `package.json` decides.
 * - V8's compiled code is cached in `node_modules/.cache`, next to its source and as safe as that. If that folder is
 *   read-only, nothing is cached. A process with the root secret compiles for itself, so that it never runs cached code
 *   that someone else wrote.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import {
  enableCompileCache,
  flushCompileCache,
  type ResolveFnOutput,
  registerHooks,
} from 'node:module'
import { fileURLToPath } from 'node:url'
import { readPrebundledPackages } from './prebundledPackages.ts'

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url))

const ROOT = new URL('../../../', import.meta.url).href
const TYPESCRIPT = 'module-typescript'

/** Node saves compiled code only at a program's end; a killed program would save nothing. */
const KEPT_AFTER_MS = 5_000

const isModuleFolder = new Map<string, boolean>()
/** Resolved specifiers of packages, which are the same from everywhere in a folder. */
const packages = new Map<string, ResolveFnOutput>()
const packed = readPrebundledPackages()

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context
    if (isOwnFile(specifier, parentURL))
      return { url: new URL(specifier, parentURL).href, format: TYPESCRIPT, shortCircuit: true }
    if (!parentURL || !conditions.includes('import')) return next(specifier, context)
    if (!parentURL.includes('/node_modules/')) {
      const url = parentURL.startsWith(ROOT) && packed.get(specifier)
      return url ? moduleAt(url) : next(specifier, context)
    }
    if (!specifier.startsWith('.')) {
      const key = `${folderOf(parentURL)} ${specifier}`
      const found = packages.get(key) ?? preferPacked(next(specifier, context))
      packages.set(key, found)
      return { ...found, shortCircuit: true }
    }
    const { href: url } = new URL(specifier, parentURL)
    const isKnown = url.endsWith('.js') && holdsModules(folderOf(url))
    return isKnown ? moduleAt(url) : next(specifier, context)
  },
})

function preferPacked(found: ResolveFnOutput): ResolveFnOutput {
  const url = packed.get(found.url)
  return url ? moduleAt(url) : found
}

function moduleAt(url: string): ResolveFnOutput {
  return { url, format: 'module', shortCircuit: true }
}

/** Our files import each other by complete relative paths, so nothing needs to be searched. */
function isOwnFile(specifier: string, parent = ''): boolean {
  const isPath = specifier.startsWith('.') && specifier.endsWith('.ts')
  return isPath && parent.startsWith(ROOT) && !parent.includes('/node_modules/')
}

if (!process.env.ENCLAVE_ROOT_FILE) keepCompiled()

function keepCompiled(): void {
  try {
    mkdirSync(CACHE, { recursive: true, mode: 0o700 })
    enableCompileCache(process.env.NODE_COMPILE_CACHE ?? CACHE)
    setTimeout(flushCompileCache, KEPT_AFTER_MS).unref()
  } catch {
    // Read-only: everything is compiled at each start.
  }
}

/** Whether the `.js` files of a folder, a file URL with a slash at its end, are ES modules. */
function holdsModules(folder: string): boolean {
  const known = isModuleFolder.get(folder)
  if (known !== undefined) return known
  const holds = readType(folder) ?? (!isOutermost(folder) && holdsModules(parentOf(folder)))
  isModuleFolder.set(folder, holds)
  return holds
}

/** The type in the folder's own manifest; null without one. */
function readType(folder: string): boolean | null {
  try {
    return JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')).type === 'module'
  } catch {
    return null
  }
}

function folderOf(url: string): string {
  return url.slice(0, url.lastIndexOf('/') + 1)
}

function parentOf(folder: string): string {
  return folderOf(folder.slice(0, -1))
}

function isOutermost(folder: string): boolean {
  const parent = parentOf(folder)
  return parent.endsWith('/node_modules/') || parent === 'file:///'
}
