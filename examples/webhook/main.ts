import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { setUpExample } from '../exampleSetup.ts'
import { ExampleError, print, readOptions, runExample } from '../runExample.ts'
import { runWebhook } from './runWebhook.ts'

const USAGE = `npm run example:webhook -- [options]

Registers a webhook on a running devnet for a server on this machine, verifies and prints its events, and
disables the webhook after some of them.

  --events <number>      how many (default 5)
  --guest <number>       which of the devnet's guests owns the webhook, 0 to 4 (default 4)
  --directory <path>     where the devnet's state is (default .cairn)
  --help`

const OPTIONS = {
  events: { type: 'string', default: '5' },
  guest: { type: 'string', default: '4' },
  directory: { type: 'string', default: '.cairn' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

await runExample(async () => {
  const values = readOptions(OPTIONS)
  if (values.help) return console.log(USAGE)
  const devnet = readDevnetFile(values.directory)
  const { api, destination, sender } = setUpExample(devnet, Number(values.guest))
  const events = Number(values.events)
  if (!Number.isSafeInteger(events) || events < 1)
    throw new ExampleError('--events must be 1 or more')
  await runWebhook({ api, owner: sender, chainId: destination.chainId, events }, print)
})
