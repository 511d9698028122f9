import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const REDOCLY = fileURLToPath(
  new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url),
)

/** The problems of an OpenAPI document by redocly's recommended rules, found offline. */
export async function lintOpenApi(document: unknown): Promise<unknown[]> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-lint-'))
  try {
    writeFileSync(join(directory, 'openapi.json'), JSON.stringify(document))
    const args = ['lint', '--extends', 'recommended', 'openapi.json', '--format', 'json']
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const options = { cwd: directory, env, maxBuffer: 2 ** 24 }
    // Its status is not zero if it finds errors.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [REDOCLY, ...args],
      options,
    ).catch((error: { stdout: string }) => error)
    return JSON.parse(stdout).problems
  } finally {
    rmSync(directory, { recursive: true })
  }
}
