import { parseArgs } from 'node:util'
import { privateKeyToAccount } from 'viem/accounts'
import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { sceneOf } from '../receive/exampleSetup.ts'
import { runWebhook } from './runWebhook.ts'

const USAGE = `npm run example:webhook -- [options]

Registers a webhook on a running devnet for a server on this machine, verifies and prints what comes, and
disables the webhook after some events.

  --events <number>      how many (default 5)
  --guest <number>       which of the devnet's guests owns the webhook, 0 to 4 (default 4)
  --directory <path>     where the devnet lives (default .cairn)
  --help`

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '5' },
    guest: { type: 'string', default: '4' },
    directory: { type: 'string', default: '.cairn' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(USAGE)
else await main()

async function main(): Promise<void> {
  const { api, destination, senderKey } = sceneOf(
    readDevnetFile(values.directory),
    Number(values.guest),
  )
  const owner = privateKeyToAccount(senderKey)
  const events = Number(values.events)
  if (!Number.isSafeInteger(events) || events < 1) throw new Error('--events is not a number')
  await runWebhook({ api, owner, chainId: destination.chainId, events }, console.log)
}
