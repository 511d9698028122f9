import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ToolError } from './commandLine.ts'

/**
 * Creates a folder unless it exists, before long work whose result will be stored there.
 *
 * @param option the option that names the folder
 * @throws ToolError when nothing can be written to it
 */
export function requireWritableFolder(option: string, folder: string): void {
  try {
    makeFolder(resolve(folder))
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const { code = 'unknown' } = cause as { code?: string }
    throw new ToolError(`${option}: can't write to ${folder} (${code}): choose another folder`, {
      cause,
    })
  }
}

/** Node's recursive `mkdir` never ends where making a folder fails with ENOENT although its parent is there, as in `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    return
  }
  makeFolder(dirname(folder))
  mkdirSync(folder)
}
