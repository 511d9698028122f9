import { beforeAll, describe, expect, test } from 'vitest'
import type { DevnetFile } from '../../../devnet/devnetFile.ts'
import { setUpExample } from '../../../examples/exampleSetup.ts'
import { type Received, receive } from '../../../examples/receive/receive.ts'

/** The running example. */
export type Receiving = {
  /** Its output so far. */
  reported: string[]
  /** Rejects if the example fails. */
  received: Promise<Received>
}

/** Starts the recipient example, which mostly waits, on a devnet with traffic. */
export function beginReceiving(file: DevnetFile): Receiving {
  const reported: string[] = []
  const received = receive(setUpExample(file, 0), (text) => void reported.push(text))
  received.catch(() => {})
  return { reported, received }
}

/** Tests of the recipient example. @param begun called once the tests have started */
export function describeReceive(begun: () => Receiving): void {
  describe('a wallet without gas', () => {
    let received: Received
    beforeAll(async () => {
      received = await begun().received
    })

    test('gets three deliveries without paying for a transaction', () => {
      // Whatever solvers bid above the requested 90 goes to the recipient.
      expect(received.tokens).toBeGreaterThanOrEqual(3n * 90_000_000n)
      expect(received.native).toBe(0n)
    })

    test('gets each at its own Safe and stealth address, which end up empty', () => {
      const { entries, intentIds } = received
      expect(new Set(entries.map(({ intentId }) => intentId))).toEqual(new Set(intentIds))
      expect(entries).toHaveLength(3)
      expect(new Set(entries.map(({ safeAddress }) => safeAddress)).size).toBe(3)
      expect(new Set(entries.map(({ address }) => address)).size).toBe(3)
      for (const { swept, balances, safeDeployed } of entries) {
        expect({ swept, safeDeployed }).toEqual({ swept: true, safeDeployed: true })
        expect(balances.map(({ balance }) => balance)).toEqual([0n])
      }
    })

    test('sweeps the first with one SDK call, the other two together in one transaction', () => {
      const { reported } = begun()
      const count = (words: string) => reported.filter((line) => line.includes(words)).length
      expect(count('The SDK has the Safe deployed and sweeps it')).toBe(1)
      expect(count('The relayer deploys the Safe')).toBe(1)
      expect(count('sent and paid for by the relayer')).toBe(1)
    })
  })
}
