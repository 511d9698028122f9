import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { readRecipient, setUpExample } from '../exampleSetup.ts'
import { readOptions, runExample } from '../runExample.ts'
import { sendUsdc } from './sendUsdc.ts'

const USAGE = `npm run example:send -- [options]

Sends 100 USDC from Horizen to Base on a running devnet, and waits for the delivery.

  --recipient <address>  who is paid (default: a new address)
  --guest <number>       which of the devnet's guests sends, 0 to 4 (default 1)
  --directory <path>     where the devnet's state is (default .cairn)
  --help`

const OPTIONS = {
  recipient: { type: 'string' },
  guest: { type: 'string', default: '1' },
  directory: { type: 'string', default: '.cairn' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

await runExample(async () => {
  const values = readOptions(OPTIONS)
  if (values.help) return console.log(USAGE)
  const setup = setUpExample(readDevnetFile(values.directory), Number(values.guest))
  const recipient = readRecipient(values.recipient)
  const intent = await sendUsdc(setup, recipient)
  console.log(`intent ${intent.id} pays ${recipient} at least 90 USDC`)
  await intent.wait({ onUpdate: ({ status }) => console.log(status) })
})
