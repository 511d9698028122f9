import { parseArgs } from 'node:util'
import { type Address, isAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { runOrder } from './runOrder.ts'

const USAGE = `npm run example:order -- [options]

A scheduled order on a running devnet, in a minute: approve the vault, place an order of two tranches with the
SDK, watch each of them become an intent, and see what the vault paid back.

  --recipient <address>  whom the tranches pay (default: a new address)
  --guest <number>       which of the devnet's guests orders, 0 to 4 (default 2)
  --directory <path>     where the devnet lives (default .cairn)
  --help`

const { values } = parseArgs({
  options: {
    recipient: { type: 'string' },
    guest: { type: 'string', default: '2' },
    directory: { type: 'string', default: '.cairn' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(USAGE)
else await main()

async function main(): Promise<void> {
  const devnet = readDevnetFile(values.directory)
  const guest = devnet.accounts.guests[Number(values.guest)]
  if (guest === undefined) throw new Error(`the devnet has no guest ${values.guest}`)
  await runOrder(devnet, privateKeyToAccount(guest), recipientOf(values.recipient), console.log)
}

function recipientOf(text: string | undefined): Address {
  if (text === undefined) return privateKeyToAccount(generatePrivateKey()).address
  if (!isAddress(text)) throw new Error(`--recipient ${text} is no address`)
  return text
}
