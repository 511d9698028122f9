import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Scripts that a page loads when a button is pressed, each bundled into one file. */
export const BUNDLED = ['proof', 'wallet'] as const

/** Bundles `browser/<name>.js` with its imports. The same sources give the same text. */
export async function bundleScript(name: (typeof BUNDLED)[number]): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL(`../browser/${name}.js`, import.meta.url)),
    platform: 'browser',
    treeshake: true,
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  await build.close()
  return output[0].code
}

/** Where the bundle is committed, so that starting the API needs no build. */
export function bundlePath(name: string): string {
  return fileURLToPath(new URL(`../assets/bundled/${name}.js`, import.meta.url))
}
