import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ENTRY = fileURLToPath(new URL('../index.ts', import.meta.url))

/**
 * The SDK as one ES module with everything in it but viem, for browsers and every Node alike.
 *
 * @param input another module, for measuring what of the SDK a program keeps
 */
export async function bundle(file: string, input: string = ENTRY, minify = false): Promise<void> {
  const build = await rolldown({
    input,
    // What depends on the platform takes its browser's form, which Node has as well.
    platform: 'browser',
    external: [/^viem(\/|$)/],
    treeshake: true,
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  await build.write({ file, format: 'esm', minify, codeSplitting: false })
  await build.close()
}
