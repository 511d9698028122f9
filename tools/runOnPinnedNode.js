// Runs a program under the Node that the project pins: the Node behind npx (20 or later) may not run
// TypeScript, which is why this file is plain JavaScript.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** Node options that halve the start of a program with many modules. */
export const QUICK_START = ['--import', new URL('../services/process/modules/speedUpModuleLoading.ts', import.meta.url).href]

/**
 * Replaces this process, as far as a caller can tell: same arguments, streams, signals and exit code.
 *
 * @param {URL} program the TypeScript file to run
 * @param {string[]} options of Node
 * @param {{ args?: string[], isRole?: boolean }} `isRole`: it runs until it is asked to end, and ends by itself
 *   once this process is gone, `kill -9` included
 */
export function runOnPinnedNode(program, options = [], { args = process.argv.slice(2), isRole = false } = {}) {
  const executable = process.platform === 'win32' ? 'node.exe' : 'node'
  const node = join(dirname(require.resolve('node/package.json')), 'bin', executable)
  const child = spawn(node, [...options, fileURLToPath(program), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', ...(isRole ? ['ipc'] : [])],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // Ctrl-C reaches the whole foreground process group; passing it on would look like a second one: "at once".
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`${node} can't be started: ${error.message}`)
    process.exit(1)
  })
  child.on('close', (status, signal) => {
    if (signal === null) process.exit(status ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
