import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { readRecipient, setUpExample } from '../exampleSetup.ts'
import { ExampleError, print, readOptions, runExample } from '../runExample.ts'
import { runOrder } from './runOrder.ts'

const USAGE = `npm run example:order -- [options]

Places a scheduled order of two tranches on a running devnet: approves the vault, waits about a minute until
each tranche is an intent, and shows what the vault returns.

  --recipient <address>  who is paid (default: a new address)
  --guest <number>       which of the devnet's guests orders, 0 to 4 (default 2)
  --directory <path>     where the devnet's state is (default .cairn)
  --help`

const OPTIONS = {
  recipient: { type: 'string' },
  guest: { type: 'string', default: '2' },
  directory: { type: 'string', default: '.cairn' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

await runExample(async () => {
  const values = readOptions(OPTIONS)
  if (values.help) return console.log(USAGE)
  const devnet = readDevnetFile(values.directory)
  if (devnet.orders === null)
    throw new ExampleError('the devnet runs without the order service: restart it with npm start')
  const setup = setUpExample(devnet, Number(values.guest))
  await runOrder(setup, devnet.orders, readRecipient(values.recipient), print)
})
