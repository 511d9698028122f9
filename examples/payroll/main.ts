import { join } from 'node:path'
import { keccak256, parseUnits, slice, toHex } from 'viem'
import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { setUpExample } from '../exampleSetup.ts'
import { print, readOptions, runExample } from '../runExample.ts'
import { readPayments, writePayment } from './readPayments.ts'
import { type Payment, runPayroll } from './runPayroll.ts'

const USAGE = `npm run example:payroll -- [options]

Pays 201 people from Horizen to Base on a running devnet: one more than fits in an intent, so in two. If you stop
it halfway, run it again: it continues, and pays nobody twice.

  --file <path>       whom to pay: one line each, "address,amount" in USDC (default: 201 new people, 1 USDC each)
  --guest <number>    which of the devnet's guests pays, 0 to 4 (default 3)
  --directory <path>  where the devnet's state is (default .cairn); the payroll's is stored there too
  --help`

const OPTIONS = {
  file: { type: 'string' },
  guest: { type: 'string', default: '3' },
  directory: { type: 'string', default: '.cairn' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

await runExample(async () => {
  const values = readOptions(OPTIONS)
  if (values.help) return console.log(USAGE)
  const setup = setUpExample(readDevnetFile(values.directory), Number(values.guest))
  const payments = values.file === undefined ? newPeople() : readPayments(values.file)
  const statePath = join(values.directory, 'payroll.json')
  const { paid, unpaid } = await runPayroll(setup, payments, statePath, print)
  console.log(`${paid.length} people have been paid`)
  if (unpaid.length === 0) return
  console.log('Pay only these again, by another --file; their funds are refunded:')
  for (const payment of unpaid) console.log(writePayment(payment))
  process.exitCode = 1
})

function newPeople(): Payment[] {
  return Array.from({ length: 201 }, (_, number) => ({
    address: slice(keccak256(toHex(`person ${number}`)), 12),
    amount: parseUnits('1', 6),
  }))
}
