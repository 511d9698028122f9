import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkBundle, type Payees } from '../../../services/relayer/recipientBundles/storeBundle.ts'
import { BundleError } from '../../../services/relayer/terms/bundleError.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const TOKEN = `0x${'70'.repeat(20)}` as Hex
const BRIDGE = `0x${'b1'.repeat(20)}` as Hex
const terms = { tokenB: TOKEN, expectedAmountB: 1_000n }

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as Hex)
  .filter((text) => text !== TOKEN && text !== BRIDGE && !/^0x0{40}$/.test(text))

/** Payees whose amounts add up to 1,000 at most. */
const payable = fc
  .array(fc.tuple(address, fc.bigInt(1n, 100n)), { minLength: 1, maxLength: 10 })
  .map((pairs) => ({
    recipients: pairs.map(([recipient]) => recipient),
    amounts: pairs.map(([, amount]) => amount),
  }))

function refusal(bundle: Payees): string {
  try {
    checkBundle(bundle, terms, BRIDGE)
  } catch (error) {
    if (error instanceof BundleError) return error.code
    throw error
  }
  return 'none'
}

describe('the rules of a bundle', () => {
  it('accept everyone who can be paid', () => {
    fc.assert(fc.property(payable, (bundle) => refusal(bundle) === 'none'))
  })

  it('name the position of a recipient that can’t be paid, never the recipient', () => {
    const nobody = fc.constantFrom(TOKEN, BRIDGE, `0x${'0'.repeat(40)}` as Hex)
    fc.assert(
      fc.property(payable, nobody, fc.nat(), fc.boolean(), (bundle, one, at, upper) => {
        const place = at % bundle.recipients.length
        const written = upper ? (`0x${one.slice(2).toUpperCase()}` as Hex) : one
        const recipients = bundle.recipients.with(place, written)
        expect(refusal({ ...bundle, recipients })).toBe('RECIPIENT_INVALID')
        try {
          checkBundle({ ...bundle, recipients }, terms, BRIDGE)
        } catch (error) {
          expect((error as BundleError).field).toBe(`recipients.${place}`)
          expect(String(error).toLowerCase()).not.toContain(one.slice(2))
        }
      }),
    )
  })

  it('want an amount above zero for each', () => {
    fc.assert(
      fc.property(payable, fc.nat(), fc.bigInt(-5n, 0n), (bundle, at, amount) => {
        const amounts = bundle.amounts.with(at % bundle.amounts.length, amount)
        expect(refusal({ ...bundle, amounts })).toBe('BUNDLE_INVALID')
        expect(refusal({ ...bundle, amounts: bundle.amounts.slice(1) })).toBe('BUNDLE_INVALID')
      }),
    )
  })

  it('allow exactly what the intent expects, and not one unit more', () => {
    const recipients = [BRIDGE.replace('b1', 'b2') as Hex]
    expect(refusal({ recipients, amounts: [1_000n] })).toBe('none')
    expect(refusal({ recipients, amounts: [1_001n] })).toBe('BUNDLE_INVALID')
    expect(refusal({ recipients: [], amounts: [] })).toBe('BUNDLE_INVALID')
  })

  it('allow 200 recipients', () => {
    const many = (count: number) => ({
      recipients: Array.from({ length: count }, () => `0x${'11'.repeat(20)}` as Hex),
      amounts: Array.from({ length: count }, () => 1n),
    })
    expect([refusal(many(200)), refusal(many(201))]).toEqual(['none', 'BUNDLE_INVALID'])
  })
})
