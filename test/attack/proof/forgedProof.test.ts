import { describe, expect, it } from 'vitest'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { MAX_PROOF_LENGTH, parseProof } from '../../../core/proof/parseProof.ts'
import type { EventProof, ProofDocument } from '../../../core/proof/proofDocument.ts'
import { verifyIntentProof } from '../../../core/proof/verifyIntentProof.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { givenNeighbours } from '../../unit/proof/givenNeighbours.ts'
import {
  BRIDGE,
  bridgeLog,
  DESTINATION,
  givenDocument,
  INTENT,
  proveGiven,
  SOURCE,
} from '../../unit/proof/givenProof.ts'

const genuine = await givenDocument()

/** What happens to a document on its way through the whole verifier: the code it is refused with. */
async function refusal(document: unknown): Promise<string> {
  return refusalOf(JSON.stringify(document))
}

async function refusalOf(text: string): Promise<string> {
  try {
    await verifyIntentProof([parseProof(text)])
    return 'ACCEPTED'
  } catch (error) {
    return (error as { code?: string }).code ?? `unexpected ${error}`
  }
}

/** The genuine document with one event replaced. */
function withEvent(change: (event: EventProof, at: number) => EventProof, at = 3): ProofDocument {
  return { ...genuine, events: genuine.events.with(at, change(genuine.events[at]!, at)) }
}

describe('a forger who starts from a genuine proof', () => {
  it('the verifier accepts the genuine proof', async () => {
    expect(await refusal(genuine)).toBe('ACCEPTED')
    // The transactions before it may have no logs.
    const first = withEvent((e) => ({ ...e, claimed: { ...e.claimed, logIndex: e.logPosition } }))
    expect(await refusal(first)).toBe('ACCEPTED')
  })

  it('the verifier accepts two blocks of one second', async () => {
    const [one, other] = await Promise.all(
      [500, 502].map((blockNumber) =>
        proveGiven({
          chainId: SOURCE,
          blockNumber,
          timestamp: 1_700_009_000,
          type: 'BlobAppended',
          log: bridgeLog('BlobAppended', { intentId: INTENT, kind: 3, encryptedBlob: '0x' }),
        }),
      ),
    )
    expect(await refusal({ ...genuine, events: [one, other] })).toBe('ACCEPTED')
  })

  it.each<[what: string, code: string, forge: () => ProofDocument]>([
    [
      'points to another log of the same receipt',
      'LOG_OF_ANOTHER_CONTRACT',
      () => withEvent((e) => ({ ...e, logPosition: 0, claimed: { ...e.claimed, logIndex: 9 } })),
    ],
    ['points past the logs', 'LOG_MISSING', () => withEvent((e) => ({ ...e, logPosition: 2 }))],
    [
      'gives the log an impossible index in its block',
      'EVENT_MISMATCH',
      () => withEvent((e) => ({ ...e, claimed: { ...e.claimed, logIndex: 0 } })),
    ],
    [
      "takes another event's receipt",
      'RECEIPT_MISMATCH',
      () => withEvent((e) => ({ ...e, receipt: genuine.events[1]!.receipt })),
    ],
    [
      "takes another event's nodes",
      'ROOT_MISMATCH',
      () => withEvent((e) => ({ ...e, proof: genuine.events[1]!.proof })),
    ],
    [
      "takes another block's header with its hash",
      'ROOT_MISMATCH',
      () =>
        withEvent((e) => ({
          ...e,
          header: genuine.events[1]!.header,
          blockHash: genuine.events[1]!.blockHash,
        })),
    ],
    [
      "takes another block's header under the old hash",
      'HEADER_HASH_MISMATCH',
      () => withEvent((e) => ({ ...e, header: genuine.events[1]!.header })),
    ],
    [
      'sets the clock back in the header',
      'HEADER_HASH_MISMATCH',
      () => withEvent((e) => ({ ...e, header: { ...e.header, timestamp: '0x1' } })),
    ],
    [
      'leaves out the last field of the header',
      'HEADER_HASH_MISMATCH',
      () =>
        withEvent((e) => {
          const { requestsHash: _, ...header } = e.header
          return { ...e, header }
        }),
    ],
    [
      'leaves out a field in the middle of the header',
      'HEADER_INCOMPLETE',
      () =>
        withEvent((e) => {
          const { baseFeePerGas: _, ...header } = e.header
          return { ...e, header }
        }),
    ],
    [
      'cuts the proof',
      'PROOF_BROKEN',
      () => withEvent((e) => ({ ...e, proof: e.proof.slice(0, -1) })),
    ],
    [
      'hangs a foreign node on the proof',
      'PROOF_NOT_CANONICAL',
      () => withEvent((e) => ({ ...e, proof: [...e.proof, genuine.events[1]!.proof[0]!] })),
    ],
    [
      'hangs the receipt itself on the proof once more',
      'PROOF_NOT_CANONICAL',
      () => withEvent((e) => ({ ...e, proof: [...e.proof, e.proof.at(-1)!] })),
    ],
    [
      'moves the receipt to another index',
      'PROOF_BROKEN',
      () => withEvent((e) => ({ ...e, transactionIndex: e.transactionIndex + 1 })),
    ],
    [
      'calls the event something better',
      'EVENT_MISMATCH',
      () => withEvent((e) => ({ ...e, type: 'IntentSettled' })),
    ],
    [
      'tells the same bid twice',
      'EVENT_REPEATED',
      () => ({ ...genuine, events: [...genuine.events, genuine.events[2]!] }),
    ],
    [
      'moves an event to the other chain',
      'EVENT_OF_ANOTHER_CHAIN',
      () => withEvent((e) => ({ ...e, chainId: DESTINATION })),
    ],
    [
      'moves an event to a chain that nobody named',
      'EVENT_OF_ANOTHER_CHAIN',
      () => withEvent((e) => ({ ...e, chainId: 10 })),
    ],
    [
      'says that the intent is another',
      'EVENT_OF_ANOTHER_INTENT',
      () => ({ ...genuine, intentId: String(INTENT + 1n) }),
    ],
    [
      'says that the intent is of another chain',
      'EVENT_OF_ANOTHER_CHAIN',
      () => ({ ...genuine, sourceChainId: DESTINATION }),
    ],
    [
      'names another bridge',
      'LOG_OF_ANOTHER_CONTRACT',
      () => ({
        ...genuine,
        bridges: genuine.bridges.map((bridge) => ({ ...bridge, address: `0x${'66'.repeat(20)}` })),
      }),
    ],
    [
      'names two bridges for one chain',
      'MALFORMED_PROOF',
      () => ({ ...genuine, bridges: [...genuine.bridges, genuine.bridges[0]!] }),
    ],
    [
      'passes another event off as the deployment',
      'EVENT_MISMATCH',
      () => ({ ...genuine, deployment: genuine.events[0]! }),
    ],
    [
      'passes another chain’s deployment off as the source chain’s',
      'EVENT_OF_ANOTHER_CHAIN',
      () => ({ ...genuine, deployment: { ...genuine.deployment!, chainId: DESTINATION } }),
    ],
  ])('%s: %s', async (_what, code, forge) => {
    expect(await refusal(forge())).toBe(code)
  })

  it('the verifier refuses blocks that contradict each other', async () => {
    const twin = await proveGiven({
      chainId: SOURCE,
      blockNumber: Number(genuine.events[2]!.header.number),
      timestamp: 1_700_000_999,
      type: 'BidPlaced',
      log: bridgeLog('BidPlaced', { intentId: INTENT, solver: BRIDGE, amountB: 1n }),
    })
    const late = await proveGiven({
      chainId: SOURCE,
      blockNumber: 1_000,
      timestamp: 1,
      type: 'BlobAppended',
      log: bridgeLog('BlobAppended', { intentId: INTENT, kind: 3, encryptedBlob: '0x' }),
    })
    const unlinked = await givenNeighbours(`0x${'77'.repeat(32)}`)
    for (const events of [[...genuine.events, twin], [...genuine.events, late], unlinked]) {
      expect(await refusal({ ...genuine, events })).toBe('HEADERS_CONFLICT')
    }
  })

  it('the verifier refuses a deployment that contradicts the intent’s blocks', async () => {
    const [{ header, blockHash }] = genuine.events as [EventProof]
    expect(blockHash).not.toBe(genuine.deployment!.blockHash)
    const later = await proveGiven({
      chainId: SOURCE,
      blockNumber: Number(header.number),
      timestamp: Number(header.timestamp),
      type: 'BridgeDeployed',
      log: bridgeLog('BridgeDeployed', {
        registry: BRIDGE,
        treasury: BRIDGE,
        forfeitReceiver: BRIDGE,
        minAuctionDuration: 20,
        firmSeconds: 30,
        pickupWindow: 60,
        executionWindow: 3_600,
        settlementGrace: 3_600,
      }),
    })
    expect(await refusal({ ...genuine, deployment: later })).toBe('HEADERS_CONFLICT')
  })

  it('the verifier refuses a delivery for an intent that its chain can’t have', async () => {
    // Whoever delivers says for which chain and intent.
    const intentId = packIntentId(DESTINATION, 7n)
    const solved = await proveGiven({
      chainId: DESTINATION,
      blockNumber: 500,
      timestamp: 1_700_009_000,
      type: 'IntentSolved',
      log: bridgeLog('IntentSolved', {
        chain2IntentId: 3n,
        sourceChainId: BigInt(SOURCE),
        intentId,
        paramsHash: `0x${'11'.repeat(32)}`,
        solver: BRIDGE,
        tokenB: BRIDGE,
        amountB: 1n,
      }),
    })
    const forged = { ...genuine, intentId: String(intentId), deployment: null, events: [solved] }
    expect(await refusal(forged)).toBe('EVENT_OF_ANOTHER_CHAIN')
  })

  it('the verifier refuses a log of a block’s first receipt at another place in the block', async () => {
    const first = await proveGiven({
      chainId: SOURCE,
      blockNumber: 500,
      timestamp: 1_700_009_000,
      type: 'BlobAppended',
      log: bridgeLog('BlobAppended', { intentId: INTENT, kind: 3, encryptedBlob: '0x' }),
      receipts: 1,
    })
    const at = (logIndex: number) =>
      refusal({ ...genuine, events: [{ ...first, claimed: { ...first.claimed, logIndex } }] })
    expect(await at(1)).toBe('ACCEPTED')
    for (const logIndex of [0, 2]) expect(await at(logIndex)).toBe('EVENT_MISMATCH')
  })

  it('the verifier refuses a contract whose events have the right names and the wrong layout', async () => {
    const right = bridgeLog('BidPlaced', { intentId: INTENT, solver: BRIDGE, amountB: 1n })
    const logs = [
      { ...right, data: '0x' as Hex },
      { ...right, topics: right.topics.slice(0, 1) },
      { ...right, topics: [] },
      { ...right, topics: [`0x${'99'.repeat(32)}` as Hex] },
    ]
    for (const log of logs) {
      const event = await proveGiven({
        chainId: SOURCE,
        blockNumber: 500,
        timestamp: 1_700_009_000,
        type: 'BidPlaced',
        log,
      })
      expect(await refusal({ ...genuine, events: [event] })).toBe('NOT_A_BRIDGE_EVENT')
    }
  })

  it('the verifier refuses a creation on an impossible chain', async () => {
    const event = await proveGiven({
      chainId: SOURCE,
      blockNumber: 500,
      timestamp: 1_700_009_000,
      type: 'IntentCreated',
      log: bridgeLog('IntentCreated', {
        intentId: INTENT,
        user: BRIDGE,
        destChainId: 1n << 255n,
        tokenA: BRIDGE,
        tokenB: BRIDGE,
        amountA: 1n,
        expectedAmountB: 1n,
        reward: 1n,
        endTime: 1n,
        encryptedBlob: '0x',
      }),
    })
    expect(await refusal({ ...genuine, events: [event] })).toBe('EVENT_MISMATCH')
  })

  it('the verifier refuses pages of two intents', async () => {
    const other = { ...genuine, bridges: genuine.bridges.slice(0, 1) }
    await expect(verifyIntentProof([genuine, other])).rejects.toMatchObject({
      code: 'DOCUMENTS_CONFLICT',
    })
  })
})

describe('a changed byte', () => {
  const PLACES = ['receipt', 'blockHash'] as const

  it('the verifier refuses any changed byte of the receipt, the hash, the nodes or the header', async () => {
    const event = genuine.events[1]!
    const changes: [string, EventProof][] = []
    for (const place of PLACES) {
      for (const text of bytesChanged(event[place])) {
        changes.push([place, { ...event, [place]: text }])
      }
    }
    for (const [at, node] of event.proof.entries()) {
      for (const text of bytesChanged(node)) {
        changes.push([`node ${at}`, { ...event, proof: event.proof.with(at, text) }])
      }
    }
    for (const [name, value] of Object.entries(event.header)) {
      for (const text of digitsChanged(value!)) {
        changes.push([name, { ...event, header: { ...event.header, [name]: text } }])
      }
    }
    expect(changes.length).toBeGreaterThan(2_000)
    for (const [where, changed] of changes) {
      const code = await refusal({ ...genuine, deployment: null, events: [changed] })
      expect(code, where).toMatch(/^[A-Z_]+$/)
      expect(code, where).not.toBe('ACCEPTED')
    }
  })

  it('the verifier refuses any changed byte of a number', async () => {
    const event = genuine.events[1]!
    for (const transactionIndex of [0, 1, event.transactionIndex + 256, 65_536]) {
      const changed = { ...event, transactionIndex }
      expect(await refusal({ ...genuine, events: [changed] })).not.toBe('ACCEPTED')
    }
  })
})

/** Every byte replaced by another. */
function* bytesChanged(hex: Hex): Generator<Hex> {
  for (let at = 2; at < hex.length; at += 2) {
    const byte = Number.parseInt(hex.slice(at, at + 2), 16) ^ 0x5a
    yield `${hex.slice(0, at)}${byte.toString(16).padStart(2, '0')}${hex.slice(at + 2)}` as Hex
  }
}

/** Every digit replaced by another, and the text made longer, upper case, and shorter. */
function* digitsChanged(hex: Hex): Generator<string> {
  for (let at = 2; at < hex.length; at++) {
    yield `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`
  }
  yield hex.replace('0x', '0x0')
  yield `${hex}00`
  yield hex.slice(0, -1)
  yield `${hex.slice(0, -1)}G`
}

describe('a hostile file', () => {
  const text = JSON.stringify(genuine)

  it.each<[what: string, code: string, make: () => string]>([
    ['nothing', 'MALFORMED_JSON', () => ''],
    ['half a proof', 'MALFORMED_JSON', () => text.slice(0, text.length / 2)],
    ['null', 'MALFORMED_PROOF', () => 'null'],
    ['a list', 'MALFORMED_PROOF', () => '[]'],
    ['a number', 'MALFORMED_PROOF', () => '7'],
    ['another format', 'MALFORMED_PROOF', () => text.replace('cairn-intent-proof', 'other')],
    ['a later version', 'UNSUPPORTED_VERSION', () => text.replace('"version":1', '"version":2')],
    [
      'a key twice',
      'DUPLICATE_KEY',
      () => text.replace('"version":1', '"version":1,"intentId":"1"'),
    ],
    [
      'a key twice, once in disguise',
      'DUPLICATE_KEY',
      () => text.replace('"blockHash":', '"bloc\\u006bHash":"0x00","blockHash":'),
    ],
    [
      'a key that reaches for the prototype',
      'FORBIDDEN_KEY',
      () => text.replace('"page":{', '"page":{"__proto__":{"next":null},'),
    ],
    [
      'the same in disguise',
      'FORBIDDEN_KEY',
      () => text.replace('"page":{', '"page":{"__pro\\u0074o__":{"next":null},'),
    ],
    [
      'a constructor',
      'FORBIDDEN_KEY',
      () => text.replace('"page":{', '"page":{"constructor":{"prototype":{}},'),
    ],
    [
      'an unknown header field',
      'MALFORMED_PROOF',
      () => text.replace('"requestsHash":', '"inclusionListHash":"0x00","requestsHash":'),
    ],
    ['an unknown field', 'MALFORMED_PROOF', () => text.replace('"page":', '"note":1,"page":')],
    [
      'a proof of too many nodes',
      'MALFORMED_PROOF',
      () => JSON.stringify(withEvent((e) => ({ ...e, proof: Array(9).fill(e.proof[0]!) }))),
    ],
    [
      'too many events',
      'MALFORMED_PROOF',
      () => JSON.stringify({ ...genuine, events: Array(129).fill(genuine.events[1]) }),
    ],
    ['a giant', 'TOO_LARGE', () => ' '.repeat(MAX_PROOF_LENGTH) + text],
    ['a tower of brackets', 'MALFORMED_PROOF', () => '['.repeat(500_000) + ']'.repeat(500_000)],
    ['a giant string', 'MALFORMED_PROOF', () => `"${'\\"a'.repeat(3_000_000)}"`],
    [
      'a giant receipt',
      'MALFORMED_PROOF',
      () => text.replace(/"receipt":"0x/, `"receipt":"0x${'00'.repeat(6_000_000)}`),
    ],
  ])('with %s is refused: %s', async (_what, code, make) => {
    expect(await refusalOf(make())).toBe(code)
  })

  it('a hostile file leaves no trace in Object.prototype', async () => {
    await refusalOf(text.replace('"page":{', '"page":{"__proto__":{"polluted":1},'))
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('refusing a hostile file takes no longer than accepting a large proof', async () => {
    const many = `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":"\\\\"`).join(',')}}`
    const start = performance.now()
    expect(await refusalOf(many)).toBe('MALFORMED_PROOF')
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})
