/**
 * The last step of `npm install`: packs the packages that programs load most of into a file each, with what several
 * share beside it. quickModules.ts loads these files in the packages' place: a program loads 1,000 modules fewer, and
 * with them half of its start's processor time goes.
 */
import { rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'
import { PACKED, PACKED_INDEX, PACKED_SPECIFIERS, type PackedIndex } from './packedPackages.ts'

/** What isn't packed with its importers: native code, CommonJS that others require as well. */
const OUTSIDE = ['graphql', 'pg', 'ws', '@electric-sql/pglite', '@whatwg-node/fetch']

const MODULES = new URL('../../node_modules/', import.meta.url).href

/** Leaves these outside, unless an importer has a version of its own, which isn't found from the packed files. */
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
  await pack()
} catch (error) {
  // Everything works without, only slower to start: no reason to refuse an installation.
  await rm(PACKED, { recursive: true, force: true })
  console.warn('packages are left unpacked:', error instanceof Error ? error.message : error)
}

async function pack(): Promise<void> {
  await rm(PACKED, { recursive: true, force: true })
  // Not above: it is native code, which npm may have left out.
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
    // As Node finds them for an import.
    resolve: { conditionNames: ['node', 'import'], mainFields: ['main'] },
  })
  await build.write({
    dir: fileURLToPath(PACKED),
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared/[name]-[hash].mjs',
  })
  await build.close()
  // Written last: without it the rest isn't used.
  const index: PackedIndex = sources.map(({ specifier, source, folder }) => ({
    ...{ specifier, source: source.slice(MODULES.length), file: `${folder}/index.mjs` },
  }))
  await writeFile(PACKED_INDEX, JSON.stringify(index))
}

/** @param specifier of a package, or `importer>package` for the version that another package has of it */
function resolve(specifier: string): string {
  const [name = '', importer] = specifier.split('>').reverse()
  return import.meta.resolve(name, importer && import.meta.resolve(importer))
}
