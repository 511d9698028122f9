import { type Logger, pino } from 'pino'
import { hideUrls } from './hideUrls.ts'
import type { LogLevel } from './logLevel.ts'

type LogOptions = {
  level?: LogLevel
  /** Also called with the message of each line at this level or above. */
  notify?: { from: 'warn' | 'error'; to: (message: string) => void }
}

/**
 * Creates a role's log: JSON lines on standard output. It blanks fields at any depth whose names suggest a secret,
 * and cuts every URL to its host, because errors quote the URL of a failed RPC endpoint, which may contain a key.
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
    createOutput(),
  )
}

/** Bytes of unwritten lines; those beyond are dropped. */
const MOST_UNWRITTEN = 16 * 1024 * 1024

/**
 * Standard output. A full disk ends no process: the lines are written with the first one after there is room again. At the
 * process's end they are dropped, because pino would try for ever to write them.
 */
function createOutput() {
  // With any minimum length, `flush` reports when everything is written.
  const options = { dest: 1, sync: false, minLength: 1, maxLength: MOST_UNWRITTEN }
  const output = pino.destination(options)
  const flushSync = output.flushSync.bind(output)
  let isFailing = false
  output.on('error', () => {
    isFailing = true
  })
  output.on('write', () => {
    isFailing = false
  })
  output.flushSync = () => {
    if (!isFailing) flushSync()
  }
  return output
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
