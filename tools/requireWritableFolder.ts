import { accessSync, constants, mkdirSync } from 'node:fs'
import { ToolError } from './commandLine.ts'

/**
 * Creates a folder if it isn't there. Called before work that may take long, so that its result can be stored.
 *
 * @param option what names the folder
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
