import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const ENTRY = fileURLToPath(new URL('../index.ts', import.meta.url))

/**
 * The SDK as one ES module with everything in it but viem, for browsers and every Node alike.
 *
 * @param input another module: a further entry, or for measuring what of the SDK a program keeps
 * @param main where the main entry is at run time, for an entry that shares its classes
 */
export async function bundle(
  file: string,
  { input = ENTRY, minify = false, main }: { input?: string; minify?: boolean; main?: string } = {},
): Promise<void> {
  const build = await rolldown({
    input,
    // Platform-dependent parts use the browser's form, which Node has too.
    platform: 'browser',
    external: [/^viem(\/|$)/],
    treeshake: true,
    plugins: main === undefined ? [] : [mainEntryAt(main)],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  await build.write({ file, format: 'esm', minify, codeSplitting: false })
  await build.close()
}

/**
 * Leaves the main entry out: an error's class must be the same, whichever entry it is imported
 * from.
 */
function mainEntryAt(main: string): Plugin {
  return {
    name: 'main-entry',
    resolveId: (source, importer) =>
      importer !== undefined && source.endsWith('/index.ts') ? { id: main, external: true } : null,
  }
}
