import { expect, test } from 'vitest'
import { VICTIMS, victimsFor } from '../../chaos/killableProcesses.ts'

test('every victim has its turn before any has another, in an order set by the seed', () => {
  const order = victimsFor(7, 2 * VICTIMS.length)
  expect(order.slice(0, VICTIMS.length).toSorted()).toEqual(VICTIMS.toSorted())
  expect(order.slice(VICTIMS.length).toSorted()).toEqual(VICTIMS.toSorted())
  expect(victimsFor(7, 2 * VICTIMS.length)).toEqual(order)
  expect(victimsFor(8, 2 * VICTIMS.length)).not.toEqual(order)
})

test('only the named process is killed', () => {
  expect(victimsFor(7, 3, 'indexer')).toEqual(['indexer', 'indexer', 'indexer'])
})
