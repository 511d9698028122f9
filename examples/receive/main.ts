import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { startDevnet } from '../../devnet/startDevnet.ts'
import { removeClusterDirectory } from '../../services/postgres/clusterDirectory.ts'
import { sceneOf } from './exampleSetup.ts'
import { receive } from './receive.ts'

const USAGE = `npm run example:receive -- [options]

A recipient's path from registering a wallet without gas to tokens in that wallet. Starts a devnet
of its own, which is gone afterwards.

  --api <url>         play on a running devnet instead, whose API this is
  --directory <path>  where that devnet lives (default .cairn)
  --help`

const { values } = parseArgs({
  options: {
    api: { type: 'string' },
    directory: { type: 'string', default: '.cairn' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const begun = performance.now()
const tell = (text: string) => {
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1).padStart(6)
  console.log(`${seconds} s  ${text}`)
}

if (values.help) console.log(USAGE)
else if (values.api) await receive(onRunning(values.api, values.directory), tell)
else await onOwnDevnet()
process.exit()

function onRunning(api: string, directory: string) {
  return { ...sceneOf(readDevnetFile(directory)), api: api.replace(/\/$/, '') }
}

async function onOwnDevnet(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-example-'))
  // When run by root, PostgreSQL runs as another user.
  chmodSync(directory, 0o755)
  tell('Starting a devnet')
  const devnet = await startDevnet({ directory, traffic: 'off' })
  try {
    await receive(sceneOf(devnet.file), tell)
  } finally {
    await devnet.stop()
    removeClusterDirectory(join(directory, 'postgres'))
    rmSync(directory, { recursive: true, force: true })
  }
}
