// Runs a program under the Node that the project pins: whichever Node npx brings (20 or later) may
// not read TypeScript. Plain JavaScript for that reason.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** Options of Node with which a program that loads much starts in half the time. */
export const QUICKLY = ['--import', new URL('../services/process/quickModules.ts', import.meta.url).href]

/**
 * Replaces this process, as far as a caller can tell: same arguments, streams and exit code.
 *
 * @param {URL} program the TypeScript file to run
 * @param {string[]} options of Node
 */
export function runOnPinnedNode(program, options = []) {
  const executable = process.platform === 'win32' ? 'node.exe' : 'node'
  const node = join(dirname(require.resolve('node/package.json')), 'bin', executable)
  const args = [...options, fileURLToPath(program), ...process.argv.slice(2)]
  const { status, signal, error } = spawnSync(node, args, { stdio: 'inherit' })
  if (error) console.error(`${node} can't be started: ${error.message}`)
  process.exit(error || signal ? 1 : (status ?? 1))
}
