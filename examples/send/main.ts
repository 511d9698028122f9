import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Address, isAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readDevnetFile } from '../../devnet/devnetFile.ts'
import { createRelayerClient, type RelayerClient } from '../../sdk/index.ts'
import { sceneOf } from '../receive/exampleSetup.ts'
import { sendIntent } from '../receive/sendIntent.ts'

const USAGE = `npm run example:send -- [options]

A sender's path on a running devnet: approve, create an intent, send the relayer the recipients, and
wait until it has ended. 100 USDC go from Horizen to Base.

  --recipient <address>  who is to be paid (default: a new address)
  --guest <number>       which of the devnet's guests sends, 0 to 4 (default 1)
  --directory <path>     where the devnet lives (default .cairn)
  --help`

/** Milliseconds between polls, as specified. */
const POLL_EVERY = 2_000

const { values } = parseArgs({
  options: {
    recipient: { type: 'string' },
    guest: { type: 'string', default: '1' },
    directory: { type: 'string', default: '.cairn' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(USAGE)
else await send()

async function send(): Promise<void> {
  const scene = sceneOf(readDevnetFile(values.directory), Number(values.guest))
  const relayer = createRelayerClient({ baseUrl: scene.api, requestTimeoutMs: 30_000 })
  const recipient = recipientOf(values.recipient)
  const intentId = await sendIntent(scene, relayer, {
    recipient,
    tokenA: tokenOf(scene.source.tokens),
    tokenB: tokenOf(scene.destination.tokens),
    amountA: 100_000_000n,
    expectedAmountB: 90_000_000n,
    reward: 1_000_000n,
  })
  console.log(`intent ${intentId} pays ${recipient} at least 90 USDC`)
  await follow(relayer, intentId)
}

/** Prints each new status until the chain has closed the intent. */
async function follow(relayer: RelayerClient, intentId: bigint): Promise<void> {
  let reported = ''
  for (;;) {
    // The index may not have the creation yet: try again.
    const intent = await relayer.intentDetails(intentId).catch(() => null)
    if (intent && intent.status !== reported) {
      reported = intent.status
      console.log(reported)
    }
    if (intent?.isTerminal) return
    await pause(POLL_EVERY)
  }
}

function recipientOf(text: string | undefined): Address {
  if (text === undefined) return privateKeyToAccount(generatePrivateKey()).address
  if (!isAddress(text)) throw new Error(`--recipient ${text} is not an address`)
  return text
}

function tokenOf(tokens: Record<string, Address>): Address {
  const { USDC } = tokens
  if (USDC === undefined) throw new Error('the devnet has no USDC')
  return USDC
}
