/**
 * Programs that load many modules import this first: it saves most of the processor time that loading takes.
 * Ponder consists of 1,300 modules, 1,000 of them package files that import each other by relative paths.
 *
 * - The largest packages are loaded from the few files into which prebundleDependencies.ts packed them.
 * - For every other file of a package, Node would parse the package's manifest again. Here each folder is checked
 *   for ES modules once, by Node's own rule: the nearest `package.json` decides.
 * - What V8 has compiled is kept in `node_modules/.cache`, with the code that it was made from and as well
 *   guarded as that. Where it can't be written nothing is kept. A process with the root secret compiles for
 *   itself: otherwise code that others left there would run beside the secret.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import {
  enableCompileCache,
  flushCompileCache,
  type ResolveFnOutput,
  registerHooks,
} from 'node:module'
import { fileURLToPath } from 'node:url'
import { readPackedPackages } from './packedPackages.ts'

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url))

const ROOT = new URL('../../../', import.meta.url).href
const TYPESCRIPT = 'module-typescript'

/** Node itself saves compiled code only when a program ends; one that is killed would save nothing. */
const KEPT_AFTER_MS = 5_000

const isModuleFolder = new Map<string, boolean>()
/** Where names of packages lead: the same from everywhere in a folder. */
const packages = new Map<string, ResolveFnOutput>()
const packed = readPackedPackages()

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

/** Our files name each other by their whole relative paths, so that there is nothing to look for. */
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
    // Read-only: everything is compiled again at each start.
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

/** What the folder's own manifest says; null where there is none. */
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
