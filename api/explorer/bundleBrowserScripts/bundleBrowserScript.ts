import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Scripts that pages load on demand, each bundled into one file. */
export const BUNDLED = ['proof', 'wallet'] as const

/** Bundles `browser/<name>.js` with its imports. The same sources give the same text. */
export async function bundleBrowserScript(name: (typeof BUNDLED)[number]): Promise<string> {
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

/** The committed bundle's path. It is committed so that the API starts without a build. */
export function bundlePath(name: string): string {
  return fileURLToPath(new URL(`../assets/bundled/${name}.js`, import.meta.url))
}
