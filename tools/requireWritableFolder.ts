import { accessSync, constants, mkdirSync } from 'node:fs'
import { ToolError } from './commandLine.ts'

/**
 * Creates a folder unless it exists, before long work whose result will be stored there.
 *
 * @param option the option that names the folder
 * @throws ToolError when nothing can be written to it
 */
export function requireWritableFolder(option: string, folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const { code = 'unknown' } = cause as { code?: string }
    throw new ToolError(`${option}: can't write to ${folder} (${code}): choose another folder`, {
      cause,
    })
  }
}
