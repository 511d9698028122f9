import { type Logger, pino } from 'pino'
import { hideUrls } from './hideUrls.ts'
import type { LogLevel } from './logLevel.ts'

type LogOptions = {
  level?: LogLevel
  /** Also passes on the message of each line at this level or above. */
  notify?: { from: 'warn' | 'error'; to: (message: string) => void }
}

/**
 * The log of one role: JSON lines on standard output. Fields whose names suggest a secret are blanked
 * wherever they appear, and every URL is cut to its host: errors quote the URL of the RPC endpoint
 * that failed, which may contain its key.
 */
export function createLog(role: string, { level = 'info', notify }: LogOptions = {}): Logger {
  return pino(
    {
      level,
      base: { role },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
      hooks: {
        streamWrite: hideUrls,
        logMethod(words, write, number) {
          if (notify && number >= (pino.levels.values[notify.from] ?? 0))
            notify.to(messageOf(words))
          write.apply(this, words)
        },
      },
    },
    // With a minimum length, even of one byte, `flush` reports when everything is written.
    pino.destination({ dest: 1, sync: false, minLength: 1 }),
  )
}

const SECRETS = [
  'databaseUrl',
  'connectionString',
  'password',
  'privateKey',
  'authorization',
  'accounts',
]

/** A line is logged as (message) or as (fields, message). */
function messageOf(words: readonly unknown[]): string {
  return words.find((word) => typeof word === 'string') ?? 'unnamed event'
}
