import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const ENTRY = fileURLToPath(new URL('../index.ts', import.meta.url))

/**
 * Bundles the SDK as one ES module with everything but viem, for browsers and all Node versions.
 *
 * @param input another entry module, or one that measures how much of the SDK a program keeps
 * @param main path of the main entry at run time, for an entry that shares its classes
 */
export async function bundleSdk(
  file: string,
  { input = ENTRY, minify = false, main }: { input?: string; minify?: boolean; main?: string } = {},
): Promise<void> {
  const build = await rolldown({
    input,
    // Use the browser builds of platform-dependent parts, which Node supports too.
    platform: 'browser',
    external: [/^viem(\/|$)/],
    treeshake: true,
    plugins: main === undefined ? [] : [useMainEntryAt(main)],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  await build.write({ file, format: 'esm', minify, codeSplitting: false })
  await build.close()
}

/** The modules that an entry takes from the main one: error classes must be identical, whoever throws them. */
const SHARED = /\/(index|cairnError|relayerError)\.ts$/

/** Leaves out what the main entry has. */
function useMainEntryAt(main: string): Plugin {
  return {
    name: 'main-entry',
    resolveId: (source, importer) =>
      importer !== undefined && SHARED.test(source) ? { id: main, external: true } : null,
  }
}
