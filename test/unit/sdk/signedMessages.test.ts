import { hashMessage, hashTypedData, keccak256, parseAbiParameters, stringToHex } from 'viem'
import { describe, expect, it, test } from 'vitest'
import { storeRecipientsMessage } from '../../../core/recipientBundle/storeRecipientsMessage.ts'
import { deploySafeMessage } from '../../../sdk/messages/deploySafeMessage.ts'
import {
  deriveStealthKeyChallenge,
  deriveStealthKeyMessage,
} from '../../../sdk/messages/deriveStealthKeyMessages.ts'
import { generateStealthMessage } from '../../../sdk/messages/generateStealthMessage.ts'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipientsMessage.ts'
import { intentMetadataMessage } from '../../../sdk/messages/intentMetadataMessage.ts'
import { intentPrivateMessage } from '../../../sdk/messages/intentPrivateMessage.ts'
import {
  cancelOrderMessage,
  placeOrderMessage,
  readOrdersMessage,
} from '../../../sdk/messages/orderMessages.ts'
import {
  challengeMessageForms,
  deploySafeMessageForms,
  deriveMessageForms,
  registerMessageForms,
} from '../../../sdk/messages/recipientMessageForms.ts'
import { registerSolverMessage } from '../../../sdk/messages/registerSolverMessage.ts'
import { registerWebhookMessage, webhookMessage } from '../../../sdk/messages/webhookMessages.ts'

/** As a wallet may write them: a checksummed address, and one in upper case. */
const ONE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const OTHER = '0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359'
const HASH = `0x${'ab'.repeat(32)}` as const
const hashOf = (text: string) => keccak256(stringToHex(text))

describe('what wallets sign without this SDK', () => {
  it.each([
    [deploySafeMessage(ONE, 84_532), `DEPLOY_SAFE:${ONE}:84532`],
    [deriveStealthKeyMessage(ONE, OTHER), `DERIVE_STEALTH_KEY:${ONE}:${OTHER}`],
    [deriveStealthKeyChallenge(ONE, OTHER, 17), `DERIVE_STEALTH_KEY:${ONE}:${OTHER}:17`],
    [
      deriveStealthKeyChallenge(ONE, OTHER, 17, '0x04AB'),
      `DERIVE_STEALTH_KEY:${ONE}:${OTHER}:17:0x04ab`,
    ],
    [generateStealthMessage(ONE, 84_532, 5n), `GENERATE_STEALTH:${ONE}:84532:5`],
    [getRecipientsMessage(5n, 84_532, 17), 'GET_RECIPIENTS:5:84532:17'],
    [intentPrivateMessage(5n, 84_532, 17), 'INTENT_PRIVATE:5:84532:17'],
    [
      intentMetadataMessage(5n, 84_532, { metadata: { b: '2', a: '1' }, viewers: [OTHER, ONE] }),
      `INTENT_METADATA:5:84532:${hashOf(
        `[[["a","1"],["b","2"]],["${OTHER.toLowerCase()}","${ONE.toLowerCase()}"]]`,
      )}`,
    ],
    [placeOrderMessage(HASH, 84_532, 17), `TWAP_ORDER:${'ab'.repeat(32)}:84532:17`],
    [cancelOrderMessage('twap-1', 17), 'TWAP_CANCEL:twap-1:17'],
    [readOrdersMessage('twap-1', 17), 'TWAP_READ:twap-1:17'],
    [
      registerSolverMessage(
        ONE,
        ['1', '2'].map((tokenB) => ({
          sourceChain: 'Base',
          destChain: 'Rari',
          tokenA: '0xA',
          tokenB,
        })),
        17,
      ),
      `REGISTER_SOLVER:${ONE}:${hashOf('base:rari:0xa:1,base:rari:0xa:2')}:17`,
    ],
    [
      registerWebhookMessage(
        'https://a.example/?B=1',
        {
          types: ['settled', 'refunded'],
          chainId: 84_532,
          solver: OTHER,
          sender: ONE,
          intentId: 5n,
        },
        'finalized',
        17,
      ),
      `REGISTER_WEBHOOK:https://a.example/?B=1:intentId=5&sender=${ONE.toLowerCase()}&solver=${OTHER.toLowerCase()}&chain=84532&types=settled,refunded:finalized:17`,
    ],
    [
      registerWebhookMessage('https://a.example', { sender: ONE }, 'instant', 17),
      `REGISTER_WEBHOOK:https://a.example:sender=${ONE.toLowerCase()}:instant:17`,
    ],
    [webhookMessage('rotate', 'wh_A-b', 17), 'WEBHOOK:rotate:wh_A-b:17'],
    [webhookMessage('list', null, 17), 'WEBHOOK:list:-:17'],
    [
      storeRecipientsMessage({
        intentId: 5n,
        sourceChainId: 84_532,
        paramsHash: `0x${'AB'.repeat(32)}`,
        n: 1,
        recipients: [ONE],
        amounts: [7n],
        salt: HASH,
      }),
      // abi.encode(address[], uint256[], bytes32), written out.
      `STORE_RECIPIENTS:5:84532:${HASH}:1:${keccak256(
        `0x${[96, 160].map(word).join('')}${HASH.slice(2)}${word(1)}${ONE.slice(2).toLowerCase().padStart(64, '0')}${word(1)}${word(7)}`,
      )}`,
    ],
  ])('%s', (message, expected) => {
    expect(message).toBe(expected)
  })
})

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}

test.each(['', 'a b', 'a:b', 'x'.repeat(41)])('a webhook’s message has no id like "%s"', (id) => {
  expect(() => webhookMessage('disable', id, 17)).toThrow('webhookId')
})

describe('a recipient’s signature', () => {
  const checksummed = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
  const [one, other] = [ONE.toLowerCase(), OTHER.toLowerCase()]
  const typed = (primaryType: string, fields: string, message: Record<string, unknown>) =>
    hashTypedData({
      domain: { name: 'Cairn', version: '1' },
      types: { [primaryType]: parseAbiParameters(fields) },
      primaryType,
      message,
    })
  const pairs = [OTHER, checksummed, other].flatMap((first) =>
    [ONE, one].map((second) => `DERIVE_STEALTH_KEY:${first}:${second}`),
  )

  it.each([
    [
      'of a registration',
      registerMessageForms(OTHER),
      [OTHER, checksummed, other].map((address) => `REGISTER_STEALTH:${address}`),
      typed('RegisterStealth', 'address recipientAddress', { recipientAddress: other }),
    ],
    [
      'of a key',
      deriveMessageForms(OTHER, ONE),
      pairs,
      typed('DeriveStealthKey', 'address recipientAddress, address stealthAddress', {
        recipientAddress: other,
        stealthAddress: one,
      }),
    ],
    [
      'of a fresh request',
      challengeMessageForms(OTHER, ONE, { timestamp: 17 }),
      pairs.map((pair) => `${pair}:17`),
      typed(
        'DeriveStealthKeyChallenge',
        'address recipientAddress, address stealthAddress, uint256 timestamp',
        { recipientAddress: other, stealthAddress: one, timestamp: 17n },
      ),
    ],
    [
      'of a deployment',
      deploySafeMessageForms(OTHER, 84_532),
      [OTHER, checksummed, other].map((address) => `DEPLOY_SAFE:${address}:84532`),
      typed('DeploySafe', 'address stealthAddress, uint256 chainId', {
        stealthAddress: other,
        chainId: 84_532n,
      }),
    ],
  ])('%s covers the text in any spelling, the one sent first, or typed data', (_, forms, texts, data) => {
    expect(forms.hashes).toEqual([...texts.map((text) => hashMessage(text)), data])
  })
})
