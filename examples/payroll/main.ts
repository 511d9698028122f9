import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keccak256, parseUnits, slice, toHex } from 'viem'
import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { sceneOf } from '../receive/exampleSetup.ts'
import { readPayments } from './readPayments.ts'
import { type Payment, runPayroll } from './runPayroll.ts'

const USAGE = `npm run example:payroll -- [options]

Pays many people from Horizen to Base on a running devnet: 201 of them, one more than an intent takes, so that it
is two intents. If you end it between, run it again: it goes on, and pays nobody twice.

  --file <path>       whom to pay: one line each, "address,amount" in USDC (default: 201 new people, 1 USDC each)
  --guest <number>    which of the devnet's guests pays, 0 to 4 (default 3)
  --directory <path>  where the devnet lives (default .cairn); the payroll's state is stored there`

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    guest: { type: 'string', default: '3' },
    directory: { type: 'string', default: '.cairn' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(USAGE)
else await main()

async function main(): Promise<void> {
  const scene = sceneOf(readDevnetFile(values.directory), Number(values.guest))
  const payments = values.file === undefined ? newPeople() : readPayments(values.file)
  const statePath = join(values.directory, 'payroll.json')
  const { paid, unpaid } = await runPayroll(scene, payments, statePath, console.log)
  console.log(`${paid.length} people have been paid`)
  if (unpaid.length === 0) return
  console.log('These have not been paid, and their funds are refunded. Pay them again:')
  for (const { address } of unpaid) console.log(address)
  process.exitCode = 1
}

function newPeople(): Payment[] {
  return Array.from({ length: 201 }, (_, number) => ({
    address: slice(keccak256(toHex(`person ${number}`)), 12),
    amount: parseUnits('1', 6),
  }))
}
