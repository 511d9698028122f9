import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFairSlots } from '../../../api/http/limits/fairSlots.ts'
import { connectionsThatFit } from '../../../api/http/limits/limitConnections.ts'

describe('fair slots', () => {
  it('never exceed their total, and a newcomer gets one if any client has two more', () => {
    const steps = fc.array(fc.record({ client: fc.nat(8), leaves: fc.boolean() }), {
      maxLength: 300,
    })
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), (all, total) => {
        const slots = createFairSlots<number>(total)
        let open: { client: string; holder: number }[] = []
        const held = (client: string) => open.filter((one) => one.client === client).length
        for (const [holder, { client: number, leaves }] of all.entries()) {
          const client = `client ${number}`
          const own = open.find((one) => one.client === client)
          if (leaves && own) {
            slots.release(client, own.holder)
            open = open.filter((one) => one !== own)
            continue
          }
          const largest = Math.max(0, ...open.map((one) => held(one.client)))
          const isFull = open.length === total
          const taken = slots.take(client, holder)
          const mayHave = !isFull || largest > held(client) + 1
          expect(taken !== false).toBe(mayHave)
          if (!taken) continue
          const evicted = open.find((one) => one.holder === taken.evicted)
          expect(evicted !== undefined).toBe(isFull)
          if (evicted) expect(held(evicted.client)).toBe(largest)
          open = [...open.filter((one) => one !== evicted), { client, holder }]
          expect(open.length).toBeLessThanOrEqual(total)
        }
      }),
    )
  })

  it('connections leave the process enough file descriptors', () => {
    expect(
      [256, 1_024, 20_000, 1_048_576, Number.POSITIVE_INFINITY].map(connectionsThatFit),
    ).toEqual([128, 512, 19_000, 20_000, 20_000])
    expect(connectionsThatFit()).toBeGreaterThan(0)
  })
})
