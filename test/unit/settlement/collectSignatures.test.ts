import { keccak256, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import {
  collectSignatures,
  QuorumMissingError,
  type SignatureJudge,
  type SignedAnswer,
} from '../../../services/quorum/collectSignatures.ts'
import type { RegisteredEnclaveKeys } from '../../../services/relayer/settlement/registeredEnclaveKeys.ts'
import { createBridgeSignatureJudge } from '../../../services/relayer/settlement/signingContext.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** How an enclave behaves, and whose it is. */
type Behaviour = {
  by?: string
  says?: string
  /** What it says beside the message that it signs. */
  adds?: string
  isFalse?: boolean
  fails?: Error
  isMute?: boolean
  isRevoked?: boolean
}

function named(name: string): Hex {
  return `0x${keccak256(toHex(name)).slice(-40)}` as Hex
}

/** Asks enclaves that behave like this; answers who has signed, or what was thrown. */
async function collect(quorum: number, behaviours: readonly Behaviour[]) {
  const signers = behaviours.map((_, at) => named(`signer ${at}`))
  const keys: RegisteredEnclaveKeys = {
    operatorOf: async (signer) => {
      const { by = `operator ${signers.indexOf(signer)}` } = behaviours[signers.indexOf(signer)]!
      return by === 'nobody' ? null : named(by)
    },
    countsAlone: async (signer) => behaviours[signers.indexOf(signer)]?.isRevoked !== true,
  }
  const bridge = { chainId: 1, bridge: named('bridge'), keys }
  const judge: SignatureJudge<SignedAnswer> = {
    ...createBridgeSignatureJudge(bridge, 'Reveal', { quorum }),
    isGenuine: ({ signature }) => signature !== '0xfa15e',
  }
  const asked: number[] = []
  const enclaves = behaviours.map((_, at) => at as unknown as Enclave)
  const collected = collectSignatures(enclaves, judge, async (enclave) => {
    const at = enclave as unknown as number
    asked.push(at)
    const { says = 'this', adds = 'that', isFalse = false, fails, isMute = false } = behaviours[at]!
    if (isMute) await new Promise(() => {})
    if (fails) throw fails
    const signature = isFalse ? '0xfa15e' : (`0x0${at}` as Hex)
    return { message: { says }, recipients: adds, signature, signer: signers[at] as Hex }
  })
  const outcome = await collected.then(
    ({ answer, signers: all }) => ({
      says: (answer.message as { says: string }).says,
      signed: all.map((signer) => signers.indexOf(signer)),
      isSorted: all.every((signer, at) => at === 0 || all[at - 1]! < signer),
    }),
    (error: Error) => ({ error }),
  )
  return { ...outcome, asked }
}

const AWAY = new EnclaveError('ENCLAVE_UNREACHABLE')
const NODES_AWAY = new EnclaveError('PROVIDERS_UNREACHABLE')
const WRONG = new EnclaveError('WRONG_PHASE', 'anchored')

describe('one signature', () => {
  test('is the first enclave’s, and another’s where that one is away or signs falsely', async () => {
    expect(await collect(1, [{}, {}])).toMatchObject({ signed: [0], asked: [0] })
    expect(await collect(1, [{ fails: AWAY }, {}])).toMatchObject({ signed: [1] })
    expect(await collect(1, [{ isFalse: true }, {}])).toMatchObject({ signed: [1] })
    expect(await collect(1, [{ isMute: true }, {}])).toMatchObject({ signed: [1] })
    expect(await collect(1, [{ fails: NODES_AWAY }, {}])).toMatchObject({ signed: [1] })
    expect(await collect(1, [{ fails: new Error('a broken pipe') }, {}])).toMatchObject({
      signed: [1],
    })
  })

  test('is another’s where the first one is of an older version, lacks a key or has other nodes', async () => {
    for (const code of [
      'UNKNOWN_OPERATION',
      'REQUEST_INVALID',
      'KEY_MISSING',
      'DECRYPTION_FAILED',
      'BLOCK_NOT_AGREED',
    ] as const)
      expect(await collect(1, [{ fails: new EnclaveError(code) }, {}])).toMatchObject({
        signed: [1],
      })
  })

  test('is another’s where the first one’s key is revoked, and nobody’s where all are', async () => {
    expect(await collect(1, [{ isRevoked: true }, {}])).toMatchObject({ signed: [1] })
    const { error } = (await collect(1, [{ isRevoked: true }])) as { error: Error }
    expect(error).toBeInstanceOf(QuorumMissingError)
    // What counted at the deposit counts on where several sign: the bridge sees to it.
    expect(await collect(2, [{ isRevoked: true }, {}])).toMatchObject({ says: 'this' })
  })

  test('is asked of no other where the first says what is wrong', async () => {
    expect(await collect(1, [{ fails: WRONG }, {}])).toMatchObject({ error: WRONG, asked: [0] })
  })
})

describe('several signatures', () => {
  test('are sorted, and no more are asked for', async () => {
    for (const quorum of [2, 3]) {
      const { isSorted, signed, asked } = (await collect(quorum, [{}, {}, {}])) as {
        isSorted: boolean
        signed: number[]
        asked: number[]
      }
      expect(isSorted).toBe(true)
      expect(signed).toHaveLength(quorum)
      expect(asked).toHaveLength(quorum)
    }
  })

  test.each<[string, Behaviour]>([
    ['is away', { fails: AWAY }],
    ['never answers', { isMute: true }],
    ['signs something else', { says: 'that' }],
    ['signs the same but names other recipients', { adds: 'thief' }],
    ['signs falsely', { isFalse: true }],
    ['is in no registry', { by: 'nobody' }],
    ['is of the same operator', { by: 'operator 1' }],
  ])('come without the one that %s', async (_, odd) => {
    const two = await collect(2, [odd, {}, {}])
    expect(two).toMatchObject({ says: 'this' })
    // Of two enclaves of one operator either will do.
    if (odd.by !== 'operator 1') {
      expect((two as { signed: number[] }).signed.toSorted()).toEqual([1, 2])
    }
    if (odd.isMute) return
    const three = await collect(3, [odd, {}, {}])
    const { error } = three as { error: Error }
    expect(error === AWAY || error instanceof QuorumMissingError).toBe(true)
  })

  test('fail with what most enclaves say, whichever one is down or lies', async () => {
    const delivered = { fails: new EnclaveError('DELIVERED') }
    for (const odd of [AWAY, NODES_AWAY, WRONG])
      expect(await collect(2, [{ fails: odd }, delivered, delivered])).toMatchObject({
        error: delivered.fails,
      })
  })
})
