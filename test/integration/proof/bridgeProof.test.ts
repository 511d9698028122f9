import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { OpenAPIHono } from '@hono/zod-openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createErrorResponse } from '../../../api/http/errorResponse.ts'
import type { ApiEnv } from '../../../api/http/honoEnvironment.ts'
import { toApiError } from '../../../api/http/toApiError.ts'
import { createEventProver, provableChains } from '../../../api/rest/proof/eventProver.ts'
import { createIntentProofBuilder } from '../../../api/rest/proof/intentProofBuilder.ts'
import { addIntentProofRoute } from '../../../api/rest/proof/intentProofRoutes.ts'
import type { ProofDocument } from '../../../core/proof/proofDocument.ts'
import { type BridgePair, startBridgePair } from '../indexer/bridgePair.ts'
import { describeSdkVerification } from './describeSdkVerification.ts'
import { readRows, readsOver } from './indexedEvents.ts'

let pair: BridgePair
let directory: string
let intentId: bigint
let tranche: bigint

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cairn-proof-'))
  pair = await startBridgePair()
  const { play } = pair
  tranche = await play.fireTranche(await play.fundOrder(1), 0)
  await play.anchor(tranche)
  intentId = await play.create()
  await play.anchor(intentId)
  await play.bid(intentId, 1n)
  await play.bid(intentId, 2n)
  await play.append(intentId)
  await play.endAuction()
  await play.deposit(intentId, 2n)
  await play.settle(intentId, await play.deliver(intentId, 2n))
})

afterAll(async () => {
  await pair?.stop()
  await rm(directory, { recursive: true, force: true })
})

/** The endpoint over both nodes as they are now, with an empty cache. */
async function api(rows?: Awaited<ReturnType<typeof readRows>>) {
  const chains = provableChains([pair.base.config, pair.horizen.config])
  const reads = readsOver(rows ?? (await readRows([pair.base, pair.horizen])))
  const app = new OpenAPIHono<ApiEnv>()
  app.onError((error) => createErrorResponse(toApiError(error), 'request'))
  const proofs = createIntentProofBuilder({ reads, chains, prove: createEventProver({ chains }) })
  addIntentProofRoute(app, { proofs, isTrustedProxy: () => false })
  return app
}

async function proofOf(query = ''): Promise<ProofDocument> {
  const answer = await (await api()).request(`/intents/${intentId}/proof${query}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as ProofDocument
}

async function save(name: string, document: unknown): Promise<string> {
  const file = join(directory, name)
  await writeFile(file, JSON.stringify(document))
  return file
}

type Outcome = { code: number | null; out: string; err: string }

/** Runs the program as a user's npx would: its bin file under the Node that runs this test. */
async function verify(...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, ['tools/verify/cairn-verify.js', ...args])
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ])
  return { code, out, err }
}

const rpcs = () => [
  ...['--rpc', `base_sepolia=${pair.base.node.rpc}`],
  ...['--rpc', `2651420=${pair.horizen.node.rpc}`],
]

const bridges = () => [
  ...['--bridge', `base_sepolia=${pair.base.config.bridge}`],
  ...['--bridge', `2651420=${pair.horizen.config.bridge}`],
]

describe('an intent completed on two real nodes', () => {
  it('is proven event by event', async () => {
    const document = await proofOf()
    expect(document.events.map(({ type, chainId }) => `${chainId} ${type}`).toSorted()).toEqual([
      '2651420 IntentSolved',
      '84532 BidPlaced',
      '84532 BidPlaced',
      '84532 BlobAppended',
      '84532 IntentAnchored',
      '84532 IntentCreated',
      '84532 IntentSettled',
      '84532 SolverDeposited',
    ])
    expect(document.deployment?.type).toBe('BridgeDeployed')
    expect(document.page).toEqual({ after: null, next: null })
  })

  it('verifies offline, and says what the reader still has to check', async () => {
    const { code, out } = await verify(await save('whole.json', await proofOf()))
    expect(out).not.toContain('the proof holds')
    expect(out).toMatch(/proven {4}phase completed/)
    expect(out).toMatch(/at least {2}bidCount 2/)
    expect(out).toMatch(/claimed {3}settleTxHash 0x/)
    expect(out).toContain('counts: by the winner, in full, in time')
    expect(code).toBe(0)
  })

  it('names the blocks that the proof depends on', async () => {
    const document = await proofOf()
    const { out } = await verify(await save('whole.json', document))
    const blocks = new Set(
      [document.deployment!, ...document.events].map(
        ({ chainId, blockHash }) => `${chainId}${blockHash}`,
      ),
    )
    expect(out).toMatch(new RegExp(`: holds if these ${blocks.size} block hashes are on the chain`))
    const [, listed = ''] = /give --rpc:\n((?: {2}.+\n)+)/.exec(out) ?? []
    expect(listed.trim().split('\n')).toHaveLength(blocks.size)
    for (const { blockHash } of document.events) expect(listed).toContain(blockHash)
    const json = JSON.parse((await verify(await save('whole.json', document), '--json')).out)
    expect(json.proven).toBe(false)
    expect(json.conditions).toHaveLength(blocks.size)
    const half = await verify(await save('whole.json', document), ...rpcs().slice(0, 2))
    expect(half.out).toContain(': holds if this block hash is on the chain')
    const named = [...rpcs(), ...bridges()]
    const whole = await verify(await save('whole.json', document), ...named)
    expect(whole.out).toContain('the proof holds. Every block is on its chain')
  })

  it('isn’t called proven by nodes alone: anyone’s contract may have emitted the events', async () => {
    const file = await save('whole.json', await proofOf())
    const some = [...rpcs(), ...bridges().slice(0, 2)]
    expect((await verify(file, ...some)).out).toContain(': holds if the contracts below are')
    expect(JSON.parse((await verify(file, ...some, '--json')).out).proven).toBe(false)
  })

  it('lists each event once, by time, with readable times and without repeated ids', async () => {
    const { out } = await verify(await save('whole.json', await proofOf()))
    const times = [...out.matchAll(/^ {2}(\S+Z) · (\w+) ·/gm)].map(([, time, type]) => ({
      time,
      type,
    }))
    expect(times.map(({ time }) => time)).toEqual(times.map(({ time }) => time).toSorted())
    expect(times.at(-1)?.type).toBe('IntentSettled')
    // Not one chain after the other: what the destination says stands where it belongs.
    const chains = [...out.matchAll(/^ {2}\S+Z · \w+ · (\w+)/gm)].map(([, chain]) => chain)
    expect(chains.toSorted()).not.toEqual(chains)
    expect(out.match(new RegExp(String(intentId), 'g'))).toHaveLength(1)
    expect(out).toMatch(/endTime \d{4}-\d\d-\d\dT\S+Z \(\d+\)/)
    const summary = out.split('\n\n')[1]
    expect(summary).toMatch(/^At \S+Z, 0x\w{40} offered 100000000 of token 0x/)
    expect(summary).toMatch(/2 bids were placed\. At \S+Z, solver 0x\w{40} took it for \d+\./)
    expect(summary).toMatch(/delivered \d+ on horizen_testnet \(2651420\), which counts\./)
    expect(summary).toMatch(/It was settled at \S+Z: the solver got \d+, the fee was \d+\.$/)
  })

  it('verifies against the chains, which confirm the transactions too', async () => {
    const file = await save('rpc.json', await proofOf())
    const { code, out } = await verify(file, ...rpcs(), ...bridges(), '--json')
    expect(code).toBe(0)
    const report = JSON.parse(out)
    expect(report.proven).toBe(true)
    const canonical = report.headers.map((one: { canonicalBy: string }) => one.canonicalBy)
    expect(new Set(canonical).size).toBe(2)
    expect(canonical).not.toContain(null)
    const certainty = Object.fromEntries(
      report.record.map((one: { field: string; certainty: string }) => [one.field, one.certainty]),
    )
    expect(certainty).toMatchObject({ createTxHash: 'asked', payout: 'proven' })
  })

  it('comes in pages that verify together', async () => {
    const files: string[] = []
    let query = '?limit=3'
    for (let page = 0; ; page++) {
      const document = await proofOf(query)
      files.push(await save(`page${page}.json`, document))
      if (document.page.next === null) break
      query = `?limit=3&cursor=${document.page.next}`
    }
    expect(files).toHaveLength(3)
    const all = JSON.parse((await verify(...files, '--json')).out)
    expect(all).toMatchObject({ proven: false, isWhole: true })
    expect(all.events).toHaveLength(8)
    const some = await verify(files[0]!, files[2]!)
    expect(some.code).toBe(0)
    expect(some.out).toContain('The server has more pages than these: fetch the rest')
  })

  it('has an entity tag, and gets 304 if unchanged', async () => {
    const app = await api()
    const first = await app.request(`/intents/${intentId}/proof`)
    const etag = first.headers.get('etag')!
    const again = await app.request(`/intents/${intentId}/proof`, {
      headers: { 'if-none-match': etag },
    })
    expect(again.status).toBe(304)
  })
})

describe('a tranche of a scheduled order', () => {
  it('is proven like any other intent, without the vault’s event', async () => {
    const rows = await readRows([pair.base, pair.horizen])
    const about = rows.filter((row) => row.intentId === tranche).map(({ type }) => type)
    expect(about).toEqual(['IntentCreated', 'TrancheFired', 'IntentAnchored'])
    const answer = await (await api(rows)).request(`/intents/${tranche}/proof`)
    const document = (await answer.json()) as ProofDocument
    expect([answer.status, document.events.map(({ type }) => type)]).toEqual([
      ...[200, ['IntentCreated', 'IntentAnchored']],
    ])
    const { code } = await verify(await save('tranche.json', document), ...rpcs())
    expect(code).toBe(0)
  })
})

describe('cairn-verify ends with', () => {
  it('1 for a false proof', async () => {
    const document = await proofOf()
    const [first, ...rest] = document.events
    const forged = { ...first!, header: { ...first!.header, timestamp: '0x1' } }
    const file = await save('forged.json', { ...document, events: [forged, ...rest] })
    const { code, err } = await verify(file)
    expect(err).toContain('HEADER_HASH_MISMATCH')
    expect(code).toBe(1)
    const other = `--bridge=84532=0x${'12'.repeat(20)}`
    const untrusted = await verify(await save('whole.json', document), other)
    expect(untrusted.err).toContain('LOG_OF_ANOTHER_CONTRACT')
    expect(untrusted.code).toBe(1)
  })

  it('1 for a transaction that isn’t the block’s at that index', async () => {
    const document = await proofOf()
    const events = document.events.map((event) => ({
      ...event,
      claimed: { ...event.claimed, transactionHash: `0x${'ab'.repeat(32)}` },
    }))
    const file = await save('renamed.json', { ...document, events })
    expect((await verify(file)).code).toBe(0)
    const { code, err } = await verify(file, ...rpcs())
    expect(err).toContain('EVENT_MISMATCH')
    expect(code).toBe(1)
  })

  it('2 for wrong usage', async () => {
    const file = await save('whole.json', await proofOf())
    const wrong = [
      [],
      [join(directory, 'absent.json')],
      [file, '--rpc', 'nowhere=http://x'],
      ['--what'],
    ]
    for (const args of wrong) {
      const { code, err } = await verify(...args)
      expect(err).toContain('Usage: cairn-verify')
      expect(code).toBe(2)
    }
  })

  it("3 for another chain's server, one that doesn't answer, and a chain without the block", async () => {
    const file = await save('whole.json', await proofOf())
    const swapped = await verify(file, '--rpc', `base_sepolia=${pair.horizen.node.rpc}`)
    expect(swapped.err).toContain('serves chain 2651420')
    const silent = await verify(file, '--rpc', 'base_sepolia=http://127.0.0.1:1/secret-key')
    expect(silent.err).toContain("doesn't answer")
    expect(silent.err).not.toContain('secret-key')
    expect([swapped.code, silent.code]).toEqual([3, 3])
  })
})

describeSdkVerification(() => ({ pair, intentId, api }))

describe('the endpoint refuses with a stable code', () => {
  it('an intent that doesn’t exist', async () => {
    const answer = await (await api()).request('/intents/12345/proof')
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'INTENT_NOT_FOUND' })
  })

  it.each([
    '?limit=0',
    '?limit=65',
    '?cursor=1.2.3',
    '?cursor=x',
    '?what=1',
  ])('%s', async (query) => {
    const answer = await (await api()).request(`/intents/${intentId}/proof${query}`)
    expect(answer.status).toBe(400)
  })

  it('an index that differs from the chain', async () => {
    const rows = await readRows([pair.base, pair.horizen])
    const liar = rows.map((row) =>
      row.type === 'SolverDeposited' ? { ...row, args: { ...row.args, amountB: '1' } } : row,
    )
    const answer = await (await api(liar)).request(`/intents/${intentId}/proof`)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: 'PROOF_NOT_VERIFIED' })
  })

  // Last: it takes the end of the history away.
  it('a block that a reorg removed, whose saved proof is no longer canonical', async () => {
    const rows = await readRows([pair.base, pair.horizen])
    const saved = await save('before.json', await proofOf())
    await pair.base.client.request({ method: 'anvil_reorg', params: [2, []] } as never)
    const answer = await (await api(rows)).request(`/intents/${intentId}/proof`)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await answer.json()).toMatchObject({ code: 'REORG_IN_PROGRESS' })
    const { code, err } = await verify(saved, ...rpcs())
    expect(err).toContain('NOT_CANONICAL')
    expect(code).toBe(3)
  })

  it('a chain whose server is down', async () => {
    const rows = await readRows([pair.base, pair.horizen])
    const saved = await save('after.json', await proofOf())
    await pair.horizen.node.stop()
    const answer = await (await api(rows)).request(`/intents/${intentId}/proof`)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: 'RPC_UNREACHABLE' })
    // It has confirmed nothing, and said nothing against the proof either.
    const { code, err } = await verify(saved, ...rpcs())
    expect(err).toMatch(/^RPC_UNREACHABLE: 127\.0\.0\.1:\d+ doesn't answer: eth_chainId failed/)
    expect(code).toBe(3)
  })
})
