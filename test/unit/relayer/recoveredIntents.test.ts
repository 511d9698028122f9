import { describe, expect, test } from 'vitest'
import { BUNDLE_INDEX } from '../../../core/settlement/calculatePayments.ts'
import {
  addRecoveredEvent,
  addRows,
  createRecoveredIntents,
  type RecoveredRows,
} from '../../../services/relayer/recovery/recoveredIntents.ts'
import type { BridgeEvent, Hex } from '../../../src/event/bridgeEvent.ts'
import { createSealer, DESTINATION, type Sealed, sealedEvent } from '../../sealedHistory.ts'

const { seal, open } = createSealer()
const [key, contract]: [Hex, Hex] = [`0x${'c1'.repeat(20)}`, `0x${'c2'.repeat(20)}`]

/** Returns what these events restore. */
function recover(...events: BridgeEvent[]) {
  const book = createRecoveredIntents()
  const rows: RecoveredRows = { bundles: [], deliveries: [], problems: [] }
  for (const event of events) {
    const found = addRecoveredEvent(book, event)
    if (found !== null) addRows(rows, book, found, open(found.blob))
  }
  return { ...rows, blobs: book.blobs, intents: [...book.intents.values()] }
}

const created = (blob: Hex = '0x') => sealedEvent('IntentCreated', 1, blob, 1)
const anchored = (blob: Hex = '0x') => sealedEvent('IntentAnchored', 1, blob, 2)
const appended = (blob: Hex) => sealedEvent('BlobAppended', 1, blob, 3)

describe('the events of an intent restore', () => {
  test('nothing before the anchor, then its own blob or, without one, the creation’s', () => {
    const [first, second] = [seal({}), seal({ n: 1 })]
    expect(recover(created(first))).toMatchObject({ bundles: [], blobs: 1 })
    const own = recover(created(first), anchored(second))
    expect(own).toMatchObject({ bundles: [{ sealed: second, n: 1 }], blobs: 2 })
    expect(own.intents).toMatchObject([{ hasBlob: true }])
    const same = recover(created(first), anchored())
    expect(same).toMatchObject({ bundles: [{ sealed: first, n: 0 }], blobs: 1 })
    expect(same.bundles[0]?.storedAt).toBe(1_800_000_002)
  })

  test('nothing from an empty appended blob, and nothing without blobs', () => {
    const twice = recover(created(seal({})), anchored(), appended('0x'))
    expect(twice.bundles).toHaveLength(1)
    expect(recover(created(), anchored())).toMatchObject({
      bundles: [],
      problems: [],
      blobs: 0,
      intents: [{ hasBlob: false }],
    })
  })

  test('no bundle from an addition without recipients', () => {
    expect(recover(created(), anchored(), appended(seal({ recipients: [] }))).bundles).toEqual([])
  })

  test('whether the sender signed', () => {
    const signed = (isSigned: boolean) =>
      recover(created(), anchored(seal({ isSigned }))).bundles[0]?.isSigned
    expect([signed(true), signed(false)]).toEqual([true, false])
  })

  test('one problem for a blob that can’t be opened, though its anchor repeats it', () => {
    const { problems } = recover(created('0x99'), anchored(), appended('0x98'))
    expect(problems.map(({ blob, reason }) => [blob.event, reason])).toEqual([
      ['IntentCreated', 'NOT_A_BLOB'],
      ['BlobAppended', 'NOT_A_BLOB'],
    ])
  })

  test('nothing if the creation wasn’t read', () => {
    expect(recover(anchored(seal({})))).toMatchObject({ bundles: [], blobs: 0, intents: [] })
  })

  test('the deliveries to registered wallets, and which of these are contracts on the destination', () => {
    const sealed: Sealed = {
      recipients: [key, contract, key],
      registered: [
        { position: 0, isContract: false },
        { position: 1, isContract: true },
        { position: 2, isContract: false },
      ],
    }
    const { deliveries } = recover(created(), anchored(seal(sealed)))
    const shared = { chainId: DESTINATION, keyId: '0x00000001' }
    expect(deliveries).toMatchObject([
      { ...shared, recipientAddress: key, index: BUNDLE_INDEX },
      { ...shared, recipientAddress: contract, index: BUNDLE_INDEX, contractOn: DESTINATION },
      { ...shared, recipientAddress: key, index: BUNDLE_INDEX + 1 },
    ])
    expect(deliveries.map(({ contractOn }) => contractOn)).toEqual([
      undefined,
      DESTINATION,
      undefined,
    ])
  })
})
