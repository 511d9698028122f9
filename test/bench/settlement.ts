/**
 * `npm run bench:settlement`: what the enclave's attestation of a delivery costs, in an empty block and in one
 * full of the cheapest logs, on real nodes with 36 million gas per block.
 */
import {
  call,
  type EnclaveTestbed,
  startEnclaveTestbed,
} from '../integration/enclave/enclaveTestbed.ts'
import { readIntentOn } from '../rig/attestedCalls.ts'
import { EMPTY_LOGS, LONG_LOGS, mineInFullBlock } from '../rig/mineInFullBlock.ts'

const RECIPIENTS = [1, 8, 200]
const RUNS = 20

const scene = await startEnclaveTestbed()
try {
  for (const count of RECIPIENTS) {
    report(`${count} recipients, empty block`, await measure(scene, count, null))
  }
  const cheapest = { code: EMPTY_LOGS, gas: 28_000_000n }
  report('8 recipients, block full of empty logs', await measure(scene, 8, cheapest))
  const long = { code: LONG_LOGS, gas: 20_000_000n }
  report('8 recipients, 72 logs of 32 KiB', await measure(scene, 8, long))
} finally {
  await scene.stop()
}

/** Costs of one attestation: it allocates `heap`, of which `kept` stays. */
type Costs = { bytes: number; wall: number; cpu: number; heap: number; kept: number }

async function measure(
  { play, enclave, base, horizen, solver, ...one }: EnclaveTestbed,
  count: number,
  logs: { code: `0x${string}`; gas: bigint } | null,
): Promise<Costs> {
  const recipients = Array.from(
    { length: count },
    (_, at) => `0x${(at + 1).toString(16).padStart(40, 'a')}` as const,
  )
  const id = await play.create(
    one.sealed(
      recipients,
      recipients.map(() => 5n),
    ),
  )
  await one.anchor(id)
  await one.win(id)
  const revealed = await enclave.revealToWinner({ intent: await one.deep(id) })
  if (logs === null) await one.deliver(id, revealed)
  else {
    const { paramsHash, fillDeadline } = await readIntentOn(base, id)
    const terms = [BigInt(base.chainId), id, paramsHash, horizen.contracts.tokens.ZEN]
    const data = call('solveIntent', [
      ...terms,
      revealed.recipients,
      revealed.amounts,
      fillDeadline - 1n,
    ])
    await mineInFullBlock(horizen, horizen.rogue, logs, () =>
      solver.send({ to: horizen.contracts.bridge, data, gas: 2_000_000n }),
    )
    await one.deepen()
  }
  const evidence = await one.settlementEvidence(id)
  const text = JSON.stringify(evidence, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  await enclave.attestSettlement(evidence)
  globalThis.gc?.()
  const heapBefore = process.memoryUsage().heapUsed
  const cpuBefore = process.cpuUsage()
  const begun = performance.now()
  for (let run = 0; run < RUNS; run++) await enclave.attestSettlement(evidence)
  const wall = (performance.now() - begun) / RUNS
  const { user, system } = process.cpuUsage(cpuBefore)
  const heap = Math.max(0, process.memoryUsage().heapUsed - heapBefore) / RUNS
  globalThis.gc?.()
  const kept = Math.max(0, process.memoryUsage().heapUsed - heapBefore) / RUNS
  return { bytes: text.length / 2, wall, cpu: (user + system) / 1_000 / RUNS, heap, kept }
}

function report(what: string, { bytes, wall, cpu, heap, kept }: Costs): void {
  const kB = (value: number) => `${(value / 1_000).toFixed(1)} kB`
  console.log(
    `${what}: evidence ${kB(bytes)}, ${cpu.toFixed(1)} ms of CPU, ${wall.toFixed(1)} ms with the providers' answers, ${kB(heap)} allocated, ${kB(kept)} kept`,
  )
}
