import { fileURLToPath } from 'node:url'
import { findFreePort } from '../../../services/process/findFreePort.ts'
import { type Measurement, measureProgram } from './measureProgram.ts'

const ponder = fileURLToPath(
  new URL('../../../node_modules/ponder/dist/esm/bin/ponder.js', import.meta.url),
)

/** Runs a Ponder project from the start of its process until everything final is indexed. */
export async function runPonder({
  root,
  environment,
  databaseUrl,
}: {
  root: string
  environment: Record<string, string>
  databaseUrl: string
}): Promise<Measurement> {
  const port = await findFreePort()
  return measureProgram(
    [
      ponder,
      '--root',
      root,
      '--log-format',
      'json',
      'start',
      '--hostname',
      '127.0.0.1',
      '--schema',
      'folded',
    ],
    {
      ...environment,
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_ENV: 'production',
      PONDER_TELEMETRY_DISABLED: 'true',
      DATABASE_URL: databaseUrl,
      PORT: String(port),
    },
    (line) => line.includes('"msg":"Completed backfill indexing'),
  )
}
