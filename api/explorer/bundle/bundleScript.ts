import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Scripts that a page loads when its reader presses a button, each one file with everything in it. */
export const BUNDLED = ['proof', 'wallet'] as const

/** One of them, made of `browser/<name>.js` and what it imports. The same sources make the same text. */
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

/** Where it lies, committed, so that nobody who starts the API has to build anything. */
export function bundlePath(name: string): string {
  return fileURLToPath(new URL(`../assets/bundled/${name}.js`, import.meta.url))
}
