/**
 * The last step of `npm install`: bundles each of the largest packages into one file, and their common parts into
 * others. speedUpModuleLoading.ts loads these instead of the packages. A program then loads up to 1,200 fewer modules, which
 * saves about a third of the processor time of loading.
 */
import { rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'
import { PACKED, PACKED_INDEX, PACKED_SPECIFIERS, type PackedIndex } from './prebundledPackages.ts'

/** Not bundled: native code, and CommonJS that other packages require too. */
const OUTSIDE = ['graphql', 'pg', 'ws', '@electric-sql/pglite', '@whatwg-node/fetch']

const MODULES = new URL('../../../node_modules/', import.meta.url).href

/** Keeps these external, unless an importer has its own version, which the packed files couldn't find. */
const outside: Plugin = {
  name: 'outside',
  async resolveId(name, importer) {
    if (!importer || !OUTSIDE.includes(name)) return null
    const found = await this.resolve(name, importer, { skipSelf: true })
    const isShared = found?.id === fileURLToPath(import.meta.resolve(name))
    return isShared ? { id: name, external: true } : found
  },
}

try {
  await prebundle()
} catch (error) {
  // Without packed files, programs only start more slowly, so the installation mustn't fail.
  await rm(PACKED, { recursive: true, force: true })
  console.warn(
    'dependencies could not be prebundled:',
    error instanceof Error ? error.message : error,
  )
}

async function prebundle(): Promise<void> {
  await rm(PACKED, { recursive: true, force: true })
  // Imported here because it has native code, which npm may have left out.
  const { rolldown } = await import('rolldown')
  const sources = PACKED_SPECIFIERS.map((specifier) => ({
    specifier,
    source: resolve(specifier),
    folder: specifier.replace('>', '/'),
  }))
  const build = await rolldown({
    input: Object.fromEntries(
      sources.map(({ folder, source }) => [`${folder}/index`, fileURLToPath(source)]),
    ),
    platform: 'node',
    plugins: [outside],
    // Resolved as Node resolves an import.
    resolve: { conditionNames: ['node', 'import'], mainFields: ['main'] },
  })
  await build.write({
    dir: fileURLToPath(PACKED),
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared/[name]-[hash].mjs',
  })
  await build.close()
  // Written last: without it, the other files aren't used.
  const index: PackedIndex = sources.map(({ specifier, source, folder }) => ({
    specifier,
    source: source.slice(MODULES.length),
    file: `${folder}/index.mjs`,
  }))
  await writeFile(PACKED_INDEX, JSON.stringify(index))
}

/** @param specifier of a package, or `importer>package` for the importer's own version */
function resolve(specifier: string): string {
  const [name = '', importer] = specifier.split('>').reverse()
  return import.meta.resolve(name, importer && import.meta.resolve(importer))
}
