import { decrypt, encrypt, PrivateKey } from 'eciesjs'
import fc from 'fast-check'
import {
  bytesToHex,
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  recoverTypedDataAddress,
  stringToBytes,
  zeroHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { decryptWith } from '../../../sdk/seal/decryptWith.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createDevelopmentQuoter } from '../../../services/enclave/attestation/attestationQuoter.ts'
import { measureForDevelopment } from '../../../services/enclave/attestation/measuredConfiguration.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { Enclave, RequestOf } from '../../../services/enclave/enclaveInterface.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { anyPlaintext } from '../blob/anyPlaintext.ts'

const ROOT = new Uint8Array(32).fill(0x21)
const CHAIN = 84532
const INTENT = (BigInt(CHAIN) << 64n) | 7n
const NOW = 1_800_000_000
const bridge = `0x${'b1'.repeat(20)}` as const
const registry = `0x${'e5'.repeat(20)}` as const
const sender = `0x${'5e'.repeat(20)}` as const
const payee = `0x${'ab'.repeat(20)}` as const
const chains = [
  {
    chainId: CHAIN,
    bridge,
    registry,
    providers: [],
    agreeing: 1,
    mode: 'strict' as const,
    safe: findSafeContracts(CHAIN),
    confirmations: 1,
    maxTransactionCost: 10n ** 17n,
  },
]
const lenientChains = chains.map((chain) => ({ ...chain, mode: 'compat' as const }))
const wallet = privateKeyToAccount(`0x${'77'.repeat(32)}`)

let enclave: Enclave
let publicKey: `0x${string}`
beforeAll(async () => {
  enclave = await createEnclave({ roots: [ROOT], chains, now: () => NOW })
  publicKey = (await enclave.publicKeys()).eciesPublicKey
})

/** The error's code and place, or the answer. */
async function outcome<Answer>(asked: Promise<Answer>): Promise<Answer | string> {
  try {
    return await asked
  } catch (error) {
    return error instanceof EnclaveError ? error.message : `not an EnclaveError: ${error}`
  }
}

describe('a sender’s bundle', () => {
  const sealed = (text: string) =>
    `0x${Buffer.from(encrypt(publicKey, Buffer.from(text))).toString('hex')}` as const
  const open = (bundle: unknown, asked: object = {}) =>
    outcome(
      enclave.openBundle({
        ciphertext: sealed(typeof bundle === 'string' ? bundle : JSON.stringify(bundle)),
        sourceChainId: CHAIN,
        intentId: INTENT,
        sender,
        ...asked,
      }),
    )
  const bound = { intentId: String(INTENT), chainId: CHAIN, sender }
  const good = { recipients: [payee], amounts: ['5'], ...bound }

  test('is opened, with digests of what it came in', async () => {
    const whole = {
      ...good,
      metadata: { note: 'rent' },
      viewers: [sender],
      intentId: String(INTENT),
      chainId: CHAIN,
      sender: sender.toUpperCase().replace('0X', '0x'),
      somethingElse: [1],
    }
    expect(await open(whole)).toEqual({
      recipients: [payee],
      amounts: [5n],
      n: 1,
      salt: zeroHash,
      metadata: { note: 'rent' },
      viewers: [sender],
      ciphertext: {
        digest: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        ephemeralKeyDigest: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    })
  })

  test('says which of the sender’s namings it is', async () => {
    const salt = `0x${'5a'.repeat(32)}`
    expect(await open({ ...good, n: 7, salt })).toMatchObject({ n: 7, salt })
    expect(await open({ ...good, n: '7' })).toMatchObject({ n: 7 })
  })

  test.each([
    ['not JSON', 'hello', 'BUNDLE_MALFORMED'],
    ['an array', [], 'BUNDLE_MALFORMED'],
    ['without amounts', { recipients: [payee] }, 'BUNDLE_MALFORMED (amounts)'],
    ['for nobody', { recipients: [], amounts: [] }, 'RECIPIENTS_INVALID (recipients)'],
    ['of unequal lengths', { ...good, amounts: ['5', '6'] }, 'RECIPIENTS_INVALID (amounts)'],
    ['with nothing for somebody', { ...good, amounts: ['0'] }, 'RECIPIENTS_INVALID (amounts.0)'],
    [
      'with an amount that is a number',
      { ...good, amounts: [5] },
      'RECIPIENTS_INVALID (amounts.0)',
    ],
    ['with a negative amount', { ...good, amounts: ['-5'] }, 'RECIPIENTS_INVALID (amounts.0)'],
    [
      'with more than there can be',
      { ...good, amounts: ['9'.repeat(78)] },
      'RECIPIENTS_INVALID (amounts.0)',
    ],
    [
      'with half an address',
      { ...good, recipients: ['0x12'] },
      'RECIPIENTS_INVALID (recipients.0)',
    ],
    [
      'with the zero address',
      { ...good, recipients: [`0x${'0'.repeat(40)}`] },
      'RECIPIENTS_INVALID (recipients.0)',
    ],
    [
      'with an address whose checksum is wrong',
      { ...good, recipients: [wallet.address.replace(/[a-f]/, (digit) => digit.toUpperCase())] },
      'RECIPIENTS_INVALID (recipients.0)',
    ],
    [
      'for too many',
      { recipients: Array(201).fill(payee), amounts: Array(201).fill('1') },
      'RECIPIENTS_INVALID (recipients)',
    ],
    [
      'for so many that are wrong that naming each would take a quarter of a second',
      { recipients: Array(5_000).fill(''), amounts: ['1'] },
      'RECIPIENTS_INVALID (recipients)',
    ],
    [
      'with metadata that is too large',
      { ...good, metadata: { a: 'x'.repeat(4_096) } },
      'METADATA_TOO_LARGE',
    ],
    [
      'with metadata that isn’t text',
      { ...good, metadata: { secret: 5 } },
      'BUNDLE_MALFORMED (metadata)',
    ],
    ['for another intent', { ...good, intentId: '8' }, 'BUNDLE_OF_ANOTHER_INTENT'],
    ['for another chain', { ...good, chainId: 1 }, 'BUNDLE_OF_ANOTHER_INTENT'],
    ['by another sender', { ...good, sender: payee }, 'BUNDLE_OF_ANOTHER_INTENT'],
    ['for any intent', { ...good, intentId: undefined }, 'BUNDLE_MALFORMED (intentId)'],
    ['for any chain', { ...good, chainId: undefined }, 'BUNDLE_MALFORMED (chainId)'],
    ['by any sender', { ...good, sender: undefined }, 'BUNDLE_MALFORMED (sender)'],
  ])('that is %s is refused', async (_, bundle, code) => {
    expect(await open(bundle)).toBe(code)
  })

  test('of a chain in compat may leave out for which intent it is', async () => {
    const compat = await createEnclave({ roots: [ROOT], chains: lenientChains })
    const ciphertext = sealed(JSON.stringify({ recipients: [payee], amounts: ['5'] }))
    const asked = { ciphertext, sourceChainId: CHAIN, intentId: INTENT }
    expect(await compat.openBundle(asked)).toMatchObject({ recipients: [payee] })
  })

  test('to another key is refused, to an older one is opened', async () => {
    const ciphertext = sealed(JSON.stringify(good))
    const asked = { ciphertext, sourceChainId: CHAIN, intentId: INTENT }
    const [other, rotated] = await Promise.all([
      createEnclave({ roots: [new Uint8Array(32)], chains }),
      createEnclave({ roots: [new Uint8Array(32), ROOT], chains }),
    ])
    expect(await outcome(other.openBundle(asked))).toBe('DECRYPTION_FAILED')
    expect(await rotated.openBundle(asked)).toMatchObject({ amounts: [5n] })
  })
})

describe('a recovery blob', () => {
  const bindings = {
    sourceChainId: CHAIN,
    bridge,
    user: sender,
    paramsHash: `0x${'99'.repeat(32)}`,
    intentId: INTENT,
  } as const
  const bundle = {
    recipients: [payee],
    amounts: [5n],
    createdAt: NOW,
    n: 1,
    salt: zeroHash,
  } as const satisfies Partial<RequestOf<'sealBlob'>>
  const seal = async (more: object = {}) =>
    (await enclave.sealBlob({ ...bindings, ...bundle, ...more } as never)).blob

  test('is 512 bytes, different each time, and opens to what was sealed', async () => {
    const blob = await seal()
    expect(blob.length).toBe(2 + 2 * 512)
    expect(blob).not.toBe(await seal())
    expect(await enclave.openBlob({ blob, expected: bindings })).toEqual({
      ok: true,
      keyId: (await enclave.publicKeys()).keyId,
      contents: { ...bindings, ...bundle, registered: [] },
    })
  })

  test('tells by its length the class of its recipients, and no more than the bridge takes', async () => {
    const of = (count: number, amount = 10n ** 27n) => ({
      recipients: Array.from({ length: count }, () => payee),
      amounts: Array.from({ length: count }, () => amount),
    })
    const sizes = [9, 12, 16].map(async (count) => (await seal(of(count))).length)
    expect(new Set(await Promise.all(sizes)).size).toBe(1)
    expect(await seal({ ...of(1), recipientClass: 16 })).toHaveLength(await sizes[0]!)
    const registered = of(200).recipients.map((_, position) => ({ position, isContract: true }))
    const more = { registered, metadata: { a: 'x'.repeat(4_095) }, viewers: Array(50).fill(payee) }
    const most = await seal({ ...of(200), ...more, signature: `0x${'11'.repeat(65)}` })
    expect(most.length).toBeLessThanOrEqual(2 + 2 * 16_384)
  })

  test('of an intent that had no id yet opens for whichever has its terms', async () => {
    const blob = await seal({ intentId: undefined })
    const opened = await enclave.openBlob({ blob, expected: { ...bindings, intentId: 5n } })
    expect(opened).toMatchObject({ ok: true })
  })

  test.each([
    ['sourceChainId', 1, 'OTHER_CHAIN'],
    ['bridge', payee, 'OTHER_BRIDGE'],
    ['user', payee, 'OTHER_USER'],
    ['paramsHash', `0x${'98'.repeat(32)}`, 'OTHER_PARAMS'],
    ['intentId', INTENT + 1n, 'OTHER_INTENT'],
  ])('copied onto an intent with another %s is worthless', async (name, value, reason) => {
    const expected = { ...bindings, [name]: value }
    expect(await enclave.openBlob({ blob: await seal(), expected })).toEqual({ ok: false, reason })
  })

  test('that isn’t one is an answer, and the others are still opened', async () => {
    const blob = await seal()
    const at = (position: number, byte: string) =>
      `${blob.slice(0, position)}${byte}${blob.slice(position + 2)}` as const
    const last = blob.slice(-2) === '00' ? '01' : '00'
    const blobs = [
      '0x',
      blob.slice(0, -2),
      at(2, '02'),
      at(4, '02'),
      at(6, '00'),
      at(blob.length - 2, last),
      blob,
    ]
    const { opened } = await enclave.openBlobs({
      blobs: blobs.map((one) => ({ blob: one, expected: bindings })),
    })
    expect(opened.map((one) => (one.ok ? 'opened' : one.reason))).toEqual([
      ...['NOT_A_BLOB', 'NOT_A_BLOB', 'NOT_A_BLOB', 'NOT_A_BLOB'],
      ...['UNKNOWN_KEY', 'NOT_DECRYPTABLE', 'opened'],
    ])
  })

  test('that somebody filled with anything is an answer', async () => {
    const bytes = fc.uint8Array({ minLength: 409, maxLength: 409 })
    const { keyId } = await enclave.publicKeys()
    await fc.assert(
      fc.asyncProperty(bytes, async (plaintext) => {
        const ciphertext = Buffer.from(encrypt(publicKey, plaintext)).toString('hex')
        const blob = `0x0101${keyId.slice(2)}${ciphertext}`
        const opened = await enclave.openBlob({ blob, expected: bindings })
        expect(opened).toEqual({ ok: false, reason: 'BAD_PLAINTEXT' })
      }),
      { seed: 41, numRuns: 12 },
    )
  })

  test('any contents are sealed and opened, or refused by a code', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlaintext, async (contents) => {
        const sealed = await outcome(enclave.sealBlob(contents as never))
        if (typeof sealed === 'string') {
          expect(sealed).toMatch(/^(RECIPIENTS_INVALID|REQUEST_INVALID|BUNDLE_MALFORMED)/)
          return
        }
        const { sourceChainId, bridge, user, paramsHash, intentId = 1n } = contents
        const expected = { sourceChainId, bridge, user, paramsHash, intentId }
        const opened = await enclave.openBlob({ blob: sealed.blob, expected })
        expect(opened).toMatchObject({ ok: true, contents })
      }),
      { seed: 42, numRuns: 150 },
    )
  })
})

describe('the relayer’s transactions', () => {
  const fees = { gas: 300_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n } as const
  const call = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
  const anchor = call('anchorIntent', [INTENT, zeroHash, zeroHash, 250, 1, '0x', '0x'])
  const sign = (more: object) =>
    outcome(
      enclave.signTransaction({
        chainId: CHAIN,
        nonce: 3,
        to: bridge,
        data: anchor,
        ...fees,
        ...more,
      }),
    )
  const newChallenge = encodeFunctionData({
    abi: enclaveKeyRegistryAbi,
    functionName: 'newChallenge',
  })
  const NO = 'TRANSACTION_NOT_ALLOWED'

  test('to the bridge are signed, as they will be sent', async () => {
    const signed = await sign({})
    if (typeof signed === 'string') throw new Error(signed)
    const { relayer } = await enclave.publicKeys()
    expect(signed.from).toBe(relayer)
    expect(signed.hash).toBe(keccak256(signed.serialized))
    const serializedTransaction = signed.serialized as never
    expect((await recoverTransactionAddress({ serializedTransaction })).toLowerCase()).toBe(relayer)
    const { value = 0n, ...transaction } = parseTransaction(signed.serialized)
    expect(value).toBe(0n)
    expect(transaction).toMatchObject({
      chainId: CHAIN,
      nonce: 3,
      to: bridge,
      data: anchor,
      ...fees,
    })
  })

  test('are the relayer’s own calls, and nothing else', async () => {
    const { relayer } = await enclave.publicKeys()
    for (const allowed of [
      { data: call('refund', [INTENT]) },
      { data: call('appendBlob', [INTENT, zeroHash, zeroHash, '0x00', '0x']) },
      { data: call('revealRecipients', [INTENT, '0x00', []]) },
      { data: call('claimDelivery', [payee, payee]) },
      { to: registry, data: newChallenge },
      { to: relayer, data: '0x' },
    ])
      expect(await sign(allowed)).toMatchObject({ from: relayer })
    for (const refused of [
      { value: 1n },
      { to: payee },
      { to: payee, data: '0x' },
      { to: relayer },
      { data: '0x' },
      { data: call('createIntent', [payee, payee, 1n, 1n, 1n, 1n, 60n]) },
      { data: call('claim', [payee, payee]) },
      { data: call('askRecipients', [INTENT]) },
      { data: call('placeBid', [INTENT, 1n]) },
      { to: registry },
      { gas: 20_000_000n },
      { maxFeePerGas: 10n ** 12n },
      { maxPriorityFeePerGas: 10n ** 10n },
    ])
      expect(
        await sign(refused),
        JSON.stringify(refused, (_, v) => String(v)),
      ).toBe(NO)
    expect(await sign({ chainId: 1 })).toBe('CHAIN_NOT_CONFIGURED')
  })
})

describe('a recipient', () => {
  const { address } = wallet
  const delivery = { recipientAddress: address, chainId: CHAIN, intentId: INTENT } as const
  const signed = (message: string) => wallet.signMessage({ message })

  test('gets its keys for its signature, the same each time, in whichever letter case it is written', async () => {
    const names = [address, address.toLowerCase(), address.toUpperCase().replace('0X', '0x')]
    const answers = await Promise.all(
      names.map(async (recipientAddress) => {
        const signature = await signed(`REGISTER_STEALTH:${recipientAddress}`)
        return enclave.registerRecipient({ recipientAddress, signature })
      }),
    )
    expect(answers[0]!.spendPubKey).toMatch(/^0x04[0-9a-f]{128}$/)
    expect(answers[0]!.spendPubKey).not.toBe(answers[0]!.viewPubKey)
    const keys = answers.map(({ ticket: _, ...rest }) => rest)
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
  })

  test('not for another’s signature, or one over something else', async () => {
    const right = await signed(`REGISTER_STEALTH:${address}`)
    for (const asked of [
      { recipientAddress: payee, signature: right },
      { recipientAddress: address, signature: await signed(`DERIVE_STEALTH_KEY:${address}`) },
      { recipientAddress: address, signature: `0x00${right.slice(4)}` },
      { recipientAddress: address, signature: '0x00' },
    ])
      expect(await outcome(enclave.registerRecipient(asked))).toBe('SIGNATURE_INVALID')
  })

  test('gets the key of its stealth address, against a fresh challenge', async () => {
    const { stealthAddress } = await enclave.deriveStealth(delivery)
    expect(await enclave.deriveStealth(delivery)).toMatchObject({ stealthAddress })
    const message = `DERIVE_STEALTH_KEY:${address}:${stealthAddress}`
    const signature = await signed(message)
    const challengeAt = async (timestamp: number) => {
      const challenge = { timestamp, signature: await signed(`${message}:${timestamp}`) }
      return outcome(
        enclave.exportStealthKey({ ...delivery, stealthAddress, signature, challenge }),
      )
    }
    const answer = await challengeAt(NOW - 299)
    if (typeof answer === 'string') throw new Error(answer)
    const key = privateKeyToAccount(answer.stealthPrivateKey)
    expect(key.address.toLowerCase()).toBe(stealthAddress)

    expect(await challengeAt(NOW - 301)).toBe('CHALLENGE_REQUIRED (challenge.timestamp)')
    expect(await challengeAt(NOW + 301)).toBe('CHALLENGE_REQUIRED (challenge.timestamp)')
    const asked = { ...delivery, stealthAddress, signature }
    expect(await outcome(enclave.exportStealthKey(asked))).toBe('CHALLENGE_REQUIRED')
    const replayed = { timestamp: NOW, signature }
    expect(await outcome(enclave.exportStealthKey({ ...asked, challenge: replayed }))).toBe(
      'SIGNATURE_INVALID',
    )
  })

  test('gets that key encrypted for itself: a relayer doesn’t learn it, however it changes the request', async () => {
    const { stealthAddress } = await enclave.deriveStealth(delivery)
    const message = `DERIVE_STEALTH_KEY:${address}:${stealthAddress}`
    const signature = await signed(message)
    const [own, relayers] = [new PrivateKey(), new PrivateKey()]
    const keyOf = ({ publicKey }: PrivateKey) => bytesToHex(publicKey.toBytes(false))
    const challenge = {
      timestamp: NOW,
      signature: await signed(`${message}:${NOW}:${keyOf(own)}`),
    }
    const ask = (sealTo: Hex | undefined) =>
      outcome(
        enclave.exportStealthKey({
          ...delivery,
          stealthAddress,
          signature,
          challenge: { ...challenge, sealTo },
        }),
      )
    const answer = await ask(keyOf(own))
    if (typeof answer === 'string') throw new Error(answer)
    const ciphertext = hexToBytes(answer.stealthPrivateKey)
    const key = bytesToHex(decrypt(own.secret, ciphertext))
    expect(privateKeyToAccount(key).address.toLowerCase()).toBe(stealthAddress)
    expect(bytesToHex(decryptWith(own.secret, ciphertext))).toBe(key)
    for (const changed of [undefined, keyOf(relayers)])
      expect(await ask(changed)).toBe('SIGNATURE_INVALID')
  })

  test('not the key of another address', async () => {
    const lenient = await createEnclave({ roots: [ROOT], chains: lenientChains })
    const other = await enclave.deriveStealth({ ...delivery, recipientAddress: payee })
    const { stealthAddress } = other
    const signature = await signed(`DERIVE_STEALTH_KEY:${address}:${stealthAddress}`)
    expect(
      await outcome(lenient.exportStealthKey({ ...delivery, stealthAddress, signature })),
    ).toBe('NOT_YOUR_ADDRESS')
    const theirs = { ...delivery, recipientAddress: payee, stealthAddress, signature }
    expect(await outcome(lenient.exportStealthKey(theirs))).toBe('SIGNATURE_INVALID')
  })

  test('of an older root still gets its key after a rotation', async () => {
    const { stealthAddress } = await enclave.deriveStealth(delivery)
    const roots: [Uint8Array, Uint8Array] = [new Uint8Array(32).fill(9), ROOT]
    const rotated = await createEnclave({ roots, chains: lenientChains, now: () => NOW + 301 })
    const signature = await signed(`DERIVE_STEALTH_KEY:${address}:${stealthAddress}`)
    const answer = await rotated.exportStealthKey({ ...delivery, stealthAddress, signature })
    expect(privateKeyToAccount(answer.stealthPrivateKey).address.toLowerCase()).toBe(stealthAddress)
    // There, a challenge isn't needed, but one that is sent must hold.
    const challenge = { timestamp: NOW, signature }
    expect(
      await outcome(
        rotated.exportStealthKey({ ...delivery, stealthAddress, signature, challenge }),
      ),
    ).toBe('CHALLENGE_REQUIRED (challenge.timestamp)')
  })
})

describe('what the enclave says of itself', () => {
  const quotingKey = `0x${'0c'.repeat(32)}` as const
  const measurement = measureForDevelopment(chains)

  test('is bound to a registry’s challenge and to the configuration', async () => {
    const quoter = createDevelopmentQuoter(measurement, quotingKey)
    const vouched = await createEnclave({ roots: [ROOT], chains, quoter })
    const challenge = keccak256('0x01')
    const quote = await vouched.quote({ chainId: CHAIN, challenge, verifier: payee })
    const { attester } = await vouched.publicKeys()
    expect(quote).toMatchObject({ measurement, signer: attester, eciesPublicKey: publicKey })
    const types = [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes' }] as const
    const [, reportData, signature] = decodeAbiParameters(types, quote.evidence)
    expect(reportData).toBe(quote.reportData)
    const signer = await recoverTypedDataAddress({
      domain: {
        name: 'DevelopmentAttestationVerifier',
        version: '1',
        chainId: CHAIN,
        verifyingContract: payee,
      },
      types: {
        DevelopmentQuote: [
          { name: 'measurement', type: 'bytes32' },
          { name: 'reportData', type: 'bytes32' },
        ],
      },
      primaryType: 'DevelopmentQuote',
      message: { measurement, reportData },
      signature,
    })
    expect(signer).toBe(privateKeyToAccount(quotingKey).address)
  })

  test('is quoted once for many callers, and again once the keys change or no quote came', async () => {
    const quoter = createDevelopmentQuoter(measurement, quotingKey)
    let quotes = 0
    const counting = {
      ...quoter,
      quote: async (...asked: Parameters<typeof quoter.quote>) => {
        quotes += 1
        if (quotes === 1) throw new Error('busy')
        return quoter.quote(...asked)
      },
    }
    const vouched = await createEnclave({ roots: [ROOT], chains, quoter: counting })
    await expect(vouched.attestation()).rejects.toThrow()
    const [one, other] = await Promise.all([vouched.attestation(), vouched.attestation()])
    expect(quotes).toBe(2)
    expect(other).toEqual(one)
    await vouched.rotateAttester({ step: 'prepare' })
    expect((await vouched.attestation()).quote).not.toBe(one.quote)
    expect(quotes).toBe(3)
  })

  test('is the configuration that was measured, without the keys to providers', async () => {
    const provider = { url: 'https://rpc.example/secret', host: 'rpc.example', operator: 'one' }
    const [chain] = chains
    const changed = [{ ...chain!, providers: [provider] }]
    const said = await (await createEnclave({ roots: [ROOT], chains: changed })).attestation()
    expect(keccak256(stringToBytes(said.configuration))).toBe(said.configurationDigest)
    expect(said.configuration).toContain('rpc.example')
    expect(said.configuration).not.toContain('secret')
    expect(said.keys.attester).toMatch(/^0x/)
    const others = [
      { bridge: payee },
      { registry: payee },
      { bridgeCodeHash: keccak256('0x') },
      { providers: [{ ...provider, host: 'fork.example' }] },
      { providers: [{ ...provider, operator: 'two' }] },
      { agreeing: 2 },
      { confirmations: 0 },
      { mode: 'compat' as const },
      { chainId: 1 },
      { safe: { ...chain!.safe, singleton: payee } },
    ]
    const measurements = others.map((other) =>
      measureForDevelopment([{ ...changed[0]!, ...other }]),
    )
    expect(new Set([measureForDevelopment(changed), ...measurements]).size).toBe(others.length + 1)
    const otherKey = { ...provider, url: 'https://rpc.example/another' }
    expect(measureForDevelopment([{ ...chain!, providers: [otherKey] }])).toBe(
      measureForDevelopment(changed),
    )
  })

  test('a provider reached without TLS changes the measurement: anyone in between could answer for it', () => {
    const measured = (url: string) => {
      const config = { chainId: CHAIN, bridge, confirmations: 1, rpcUrls: [url] }
      return measureForDevelopment(toEnclaveChains([config as unknown as ChainConfig]))
    }
    expect(measured('http://rpc.example/key')).not.toBe(measured('https://rpc.example/key'))
  })
})
