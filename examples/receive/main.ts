import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { startDevnet } from '../../devnet/startDevnet.ts'
import { removeClusterDirectory } from '../../services/postgres/clusterDirectory.ts'
import { type ExampleSetup, setUpExample } from '../exampleSetup.ts'
import { readOptions, runExample } from '../runExample.ts'
import { receive } from './receive.ts'

const USAGE = `npm run example:receive -- [options]

Registers a wallet without gas, and receives three payments in it. Starts a devnet of its own, and removes
it at the end.

  --api <url>         use the running devnet with this API instead
  --directory <path>  where that devnet's state is (default .cairn)
  --help`

const OPTIONS = {
  api: { type: 'string' },
  directory: { type: 'string', default: '.cairn' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const started = performance.now()
const log = (text: string) => {
  const seconds = ((performance.now() - started) / 1_000).toFixed(1).padStart(6)
  console.log(`${seconds} s  ${text}`)
}

await runExample(async () => {
  const { help, api, directory } = readOptions(OPTIONS)
  if (help) console.log(USAGE)
  else if (api) await receive(setUpOnRunning(api, directory), log)
  else await receiveOnOwnDevnet()
})
process.exit()

function setUpOnRunning(api: string, directory: string): ExampleSetup {
  return { ...setUpExample(readDevnetFile(directory), 0), api: api.replace(/\/$/, '') }
}

async function receiveOnOwnDevnet(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-example-'))
  // When run by root, PostgreSQL runs as another user.
  chmodSync(directory, 0o755)
  log('Starting a devnet')
  const devnet = await startDevnet({ directory, traffic: 'off' })
  try {
    await receive(setUpExample(devnet.file, 0), log)
  } finally {
    await devnet.stop()
    removeClusterDirectory(join(directory, 'postgres'))
    rmSync(directory, { recursive: true, force: true })
  }
}
