import { parseArgs } from 'node:util'
import { ConfigurationError } from '../services/config/configurationError.ts'
import { LOG_LEVELS, type LogLevel } from '../services/log/logLevel.ts'
import type { TrafficPace } from './devnetOptions.ts'

/** The options of `npm start -- …`. */
export type DevnetCommand = {
  help: boolean
  fresh: boolean
  directory: string
  apiHost: string
  apiPort: number
  traffic: 'off' | TrafficPace
  logLevel: LogLevel
  /** Restart programs when their sources change. */
  watch: boolean
}

export const DEFAULT_PER_MINUTE = 6
const MOST_PER_MINUTE = 600

export const DEVNET_HELP = `npm start -- [options]

Starts all of Cairn on this machine: PostgreSQL, two EVM chains with all contracts deployed, every
role, two solvers, and senders whose intents end in every possible way.

  --fresh             start over: delete the state of earlier runs
  --traffic <rate>    intents per minute, such as 6/min (default ${DEFAULT_PER_MINUTE}/min); off for none
  --seed <number>     the same seed creates the same intents on a fresh devnet (default 1)
  --api-port <port>   port of the API (default: any free port; or variable API_PORT)
  --api-host <host>   address that the API listens on (default 127.0.0.1; or variable API_HOST)
  --directory <path>  where to keep the state (default .cairn; or variable CAIRN_DIRECTORY)
  --log-level <level> level of the logs in <directory>/logs (default info; or variable LOG_LEVEL)
  --watch             restart the programs when their sources change (npm run dev)
  --help              print this

<directory>/devnet.json has the running devnet's URLs, addresses and private keys.
`

/**
 * Reads the options of the devnet role; the environment gives defaults.
 *
 * @throws ConfigurationError listing all problems at once
 */
export function readCommandLine(
  args: string[],
  env: Record<string, string | undefined>,
): DevnetCommand {
  const problems: string[] = []
  const given = parse(args, problems)
  const directory = given.directory ?? (env.CAIRN_DIRECTORY || '.cairn')
  const seed = wholeNumber('--seed', given.seed ?? '1', Number.MAX_SAFE_INTEGER, problems)
  const port = given['api-port'] ?? (env.API_PORT || '0')
  const command: DevnetCommand = {
    help: given.help ?? false,
    fresh: given.fresh ?? false,
    directory,
    apiHost: given['api-host'] ?? (env.API_HOST || '127.0.0.1'),
    apiPort: wholeNumber('--api-port', port, 65_535, problems),
    traffic: trafficOf(given.traffic ?? `${DEFAULT_PER_MINUTE}/min`, seed, problems),
    logLevel: logLevelOf(given['log-level'] ?? (env.LOG_LEVEL || 'info'), problems),
    watch: given.watch,
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
  return command
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  fresh: { type: 'boolean' },
  watch: { type: 'boolean' },
  traffic: { type: 'string' },
  seed: { type: 'string' },
  'api-port': { type: 'string' },
  'api-host': { type: 'string' },
  directory: { type: 'string' },
  'log-level': { type: 'string' },
} as const

function parse(args: string[], problems: string[]) {
  // Not strict, so that one unknown option doesn't hide other problems.
  const { values, tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`${token.value}: not an option; see --help`)
    if (token.kind !== 'option') continue
    const known = OPTIONS[token.name as keyof typeof OPTIONS]
    if (!known) problems.push(`${token.rawName}: no such option; see --help`)
    else if (known.type === 'string' && token.value === undefined)
      problems.push(`${token.rawName}: needs a value`)
    else if (known.type === 'boolean' && token.value !== undefined)
      problems.push(`${token.rawName}: takes no value`)
  }
  return {
    ...textsOf(values),
    help: values.help === true,
    fresh: values.fresh === true,
    watch: values.watch === true,
  }
}

type TextOption = 'traffic' | 'seed' | 'api-port' | 'api-host' | 'directory' | 'log-level'

function textsOf(values: Record<string, unknown>): Partial<Record<TextOption, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string'))
}

function wholeNumber(name: string, text: string, most: number, problems: string[]): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value <= most) return value
  problems.push(`${name}: expected a whole number from 0 to ${most}, not ${text}`)
  return 0
}

function trafficOf(text: string, seed: number, problems: string[]): 'off' | TrafficPace {
  if (text === 'off') return 'off'
  const perMinute = Number(/^(\d+(?:\.\d+)?)(?:\/min)?$/.exec(text)?.[1] ?? Number.NaN)
  if (perMinute > 0 && perMinute <= MOST_PER_MINUTE) return { perMinute, seed }
  problems.push(
    `--traffic: expected off or a rate up to ${MOST_PER_MINUTE}/min such as 6/min, not ${text}`,
  )
  return 'off'
}

function logLevelOf(text: string, problems: string[]): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level) return level
  problems.push(`--log-level: expected one of ${LOG_LEVELS.join(', ')}, not ${text}`)
  return 'info'
}
