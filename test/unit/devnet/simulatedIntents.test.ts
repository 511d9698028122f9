import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { TOKEN_SYMBOLS, worth } from '../../../devnet/tokens.ts'
import { chooseSenderOffer } from '../../../devnet/traffic/chooseSenderOffer.ts'
import { drawRandomRecipients } from '../../../devnet/traffic/drawRandomRecipients.ts'
import {
  findScenario,
  findScenarioBySequence,
  isTooDear,
  OPENING,
} from '../../../devnet/traffic/scenario.ts'
import { createPlaceholderBlob } from '../../rig/placeholderBlob.ts'

const runs = { seed: 20261, numRuns: 300 }
const seeds = fc.nat(1_000_000)
const sequences = fc.integer({ min: 1, max: 1_000_000 })

describe('the simulated traffic', () => {
  it('follows from the seed and the id alone', () => {
    fc.assert(
      fc.property(seeds, sequences, (seed, sequence) => {
        const id = packIntentId(84532, BigInt(sequence))
        expect(findScenario(seed, id)).toEqual(findScenarioBySequence(seed, 84532, sequence))
        expect(chooseSenderOffer(seed, 84532, sequence, 6)).toEqual(
          chooseSenderOffer(seed, 84532, sequence, 6),
        )
      }),
      runs,
    )
  })

  it('differs with another seed or on another chain', () => {
    const played = (seed: number, chainId: number) =>
      JSON.stringify(
        Array.from({ length: 50 }, (_, at) => findScenarioBySequence(seed, chainId, 100 + at)),
      )
    const all = new Set([played(1, 84532), played(2, 84532), played(1, 2651420)])
    expect(all.size).toBe(3)
  })

  it('opens with every scenario, in the shortest auctions', () => {
    const opening = OPENING.map((_, at) => findScenarioBySequence(7, 84532, at + 1))
    expect(new Set(opening.map(({ kind }) => kind)).size).toBe(14)
    const quick = opening.filter(({ kind }) => kind !== 'longAuction')
    expect(quick.every(({ auctionSeconds }) => auctionSeconds === 20)).toBe(true)
  })

  it('stays varied afterwards', () => {
    const kinds = Array.from(
      { length: 600 },
      (_, at) => findScenarioBySequence(3, 84532, 18 + at).kind,
    )
    expect(new Set(kinds).size).toBe(14)
    const completed = kinds.filter((kind) => kind === 'completed').length
    expect(completed).toBeGreaterThan(210)
    expect(completed).toBeLessThan(420)
  })

  it('offers allow-listed amounts, and asks for less or more than they are worth as the scenario requires', () => {
    fc.assert(
      fc.property(seeds, sequences, (seed, sequence) => {
        const offer = chooseSenderOffer(seed, 84532, sequence, 6)
        expect(offer.amountA >= worth(offer.tokenA, 500)).toBe(true)
        expect(offer.amountA <= worth(offer.tokenA, 100_000_000)).toBe(true)
        expect(offer.expectedAmountB > 0n).toBe(true)
        expect(offer.reward > 0n && offer.reward < offer.amountA / 100n).toBe(true)
        expect(offer.sender).toBeLessThan(6)
        const { kind } = findScenarioBySequence(seed, 84532, sequence)
        const left = (offer.amountA * 9_750n) / 10_000n + offer.reward
        const cents = (amount: bigint, symbol: typeof offer.tokenA) =>
          Number(amount) / Number(worth(symbol, 100))
        const asked = cents(offer.expectedAmountB, offer.tokenB)
        expect(asked > cents(left, offer.tokenA)).toBe(isTooDear(kind))
      }),
      runs,
    )
  })

  it('uses every token on both sides', () => {
    const offers = Array.from({ length: 200 }, (_, at) => chooseSenderOffer(1, 84532, at + 1, 6))
    for (const side of ['tokenA', 'tokenB'] as const)
      expect(new Set(offers.map((offer) => offer[side])).size).toBe(TOKEN_SYMBOLS.length)
    expect(offers.some(({ tokenA, tokenB }) => tokenA !== tokenB)).toBe(true)
  })

  it('splits a delivery exactly, with an amount for each recipient', () => {
    const amounts = fc.bigInt({ min: 1_000n, max: 10n ** 30n })
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 8 }), amounts, (seed, count, amountB) => {
        const split = drawRandomRecipients(seed, 5n, count, amountB)
        expect(split.amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(amountB)
        expect(split.amounts.every((amount) => amount > 0n)).toBe(true)
        expect(new Set(split.recipients).size).toBe(count)
      }),
      runs,
    )
  })

  it('has blobs of the right length and version, all different', () => {
    const blobs = [
      createPlaceholderBlob(1, 84532, 1),
      createPlaceholderBlob(1, 84532, 2),
      createPlaceholderBlob(1, 2651420, 1),
    ]
    expect(new Set(blobs).size).toBe(3)
    for (const blob of blobs) expect(blob).toMatch(/^0x0101[0-9a-f]{1020}$/)
  })
})
