import { encrypt } from 'eciesjs'
import { bytesToHex, hexToBytes, stringToBytes, verifyMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipients.ts'
import type { RelayerRecipients } from '../../../sdk/relayer/answers.ts'
import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import { solverAccount } from '../../../services/solver/account/solverAccount.ts'
import { fetchRecipients } from '../../../services/solver/act/fetchRecipients.ts'
import { OPEN } from './solverScene.ts'

const privateKey = generatePrivateKey()
const account = solverAccount(privateKey)
const publicKey = privateKeyToAccount(privateKey).publicKey
const ONE = '0x00000000000000000000000000000000000000a1'
const OTHER = '0x00000000000000000000000000000000000000a2'
const won = { ...OPEN, amountB: 1_000n }

const plain: RelayerRecipients = {
  ...{ intentId: '1', chainId: 84532, totalAmount: 1_000n },
  ...{ recipients: [ONE, OTHER], amounts: [400n, 600n] },
}

function relayerThat(answers: RelayerRecipients, hears: (headers: object) => void = () => {}) {
  return {
    getRecipients: async (_: unknown, headers: object) => {
      hears(headers)
      return answers
    },
  } as unknown as RelayerClient
}

function sealed(text: string, key = publicKey): RelayerRecipients {
  const encryptedData = bytesToHex(encrypt(hexToBytes(key), stringToBytes(text)))
  return { ...plain, recipients: [], amounts: [], encryptedData }
}

describe('the recipients of an intent that was won', () => {
  it('are asked for with a signature that says for which intent, and when', async () => {
    let heard: Record<string, string> = {}
    const relayer = relayerThat(plain, (headers) => {
      heard = headers as Record<string, string>
    })
    expect(await fetchRecipients(relayer, account, won)).toEqual({
      ...{ recipients: plain.recipients, amounts: plain.amounts },
    })
    const timestamp = Number(heard['x-timestamp'])
    expect(Math.abs(Date.now() / 1_000 - timestamp)).toBeLessThan(60)
    const isOurs = await verifyMessage({
      address: account.address,
      message: getRecipientsMessage(won.intentId, won.sourceChainId, timestamp),
      signature: heard['x-solver-signature'] as `0x${string}`,
    })
    expect(isOurs).toBe(true)
    expect(heard['x-solver-address']).toBe(account.address)
  })

  it('may come sealed to the solver’s own key', async () => {
    const text = JSON.stringify({ recipients: [ONE], amounts: ['1000'], totalAmount: '1000' })
    const found = await fetchRecipients(relayerThat(sealed(text)), account, won)
    expect(found).toEqual({ recipients: [ONE], amounts: [1_000n] })
  })

  it.each([
    ['more than was committed to', { amounts: [400n, 601n] }],
    ['less than was committed to', { amounts: [400n, 599n] }],
    ['nothing for one of them', { amounts: [1_000n, 0n] }],
    ['nobody', { recipients: [], amounts: [] }],
    ['an amount for nobody', { recipients: [ONE] }],
    [
      'more than one delivery pays',
      { recipients: Array(201).fill(ONE), amounts: Array(201).fill(1n) },
    ],
  ])('are not paid when they are %s', async (_, wrong) => {
    const relayer = relayerThat({ ...plain, ...(wrong as Partial<RelayerRecipients>) })
    await expect(fetchRecipients(relayer, account, won)).rejects.toMatchObject({
      code: 'RECIPIENTS_WRONG',
    })
  })

  it.each([
    ['to another key', sealed('{}', privateKeyToAccount(generatePrivateKey()).publicKey)],
    ['and are no JSON', sealed('recipients')],
    ['and are something else', sealed('{"recipients":"0x"}')],
    ['and are no ciphertext', { ...plain, recipients: [], encryptedData: '0x1234' as const }],
  ])('are refused when they are sealed %s, without a word of what is in them', async (_, answer) => {
    const failing = fetchRecipients(relayerThat(answer), account, won)
    await expect(failing).rejects.toThrow('what the relayer sealed to us can’t be opened')
  })
})
