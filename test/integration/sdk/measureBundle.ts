import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { bundleSdk } from '../../../sdk/build/bundleSdk.ts'

/**
 * Size in bytes, minified and gzipped, of what a program keeps of the SDK, without viem.
 *
 * @param input the program's module; `target`: a file to write the bundle to
 */
export async function measureBundle(target: string, input?: string): Promise<number> {
  await bundleSdk(target, { minify: true, ...(input !== undefined && { input }) })
  return gzipSync(await readFile(target)).length
}
