import { expect, test } from 'vitest'
import {
  BUNDLE_INDEX,
  calculatePayments,
  listReplacedWallets,
} from '../../../core/settlement/calculatePayments.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { ALICE, BOB, THIEF } from '../bundle/bundleCase.ts'

const recipients: Hex[] = [ALICE, BOB, ALICE, ALICE]
const keyAt = (position: number) => ({ position, isContract: false })

test('a wallet that is named again is paid at its next address, whose key a wallet derives by this number', () => {
  const replaced = listReplacedWallets({ recipients }, [keyAt(0), keyAt(1), keyAt(2), keyAt(3)])
  expect(replaced.map(({ wallet, index }) => [wallet, index])).toEqual([
    [ALICE, 0x80_00],
    [BOB, 0x80_00],
    [ALICE, 0x80_01],
    [ALICE, 0x80_02],
  ])
  expect(BUNDLE_INDEX).toBe(0x80_00)
})

test('Safes replace the wallets at their positions alone, and everyone gets a share of the surplus', () => {
  const bundle = { recipients, amounts: [10n, 20n, 30n, 40n] }
  expect(calculatePayments(bundle, new Map([[2, THIEF]]), 200n)).toEqual({
    recipients: [ALICE, BOB, THIEF, ALICE],
    amounts: [20n, 40n, 60n, 80n],
  })
})
