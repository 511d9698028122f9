import { expect, test } from 'vitest'
import { VICTIMS, victimsFor } from '../../chaos/victims.ts'

test('everybody has its turn before anybody has another, in an order that the seed decides', () => {
  const order = victimsFor(7, 2 * VICTIMS.length)
  expect(order.slice(0, VICTIMS.length).toSorted()).toEqual(VICTIMS.toSorted())
  expect(order.slice(VICTIMS.length).toSorted()).toEqual(VICTIMS.toSorted())
  expect(victimsFor(7, 2 * VICTIMS.length)).toEqual(order)
  expect(victimsFor(8, 2 * VICTIMS.length)).not.toEqual(order)
})

test('one process alone is killed when it is named', () => {
  expect(victimsFor(7, 3, 'indexer')).toEqual(['indexer', 'indexer', 'indexer'])
})
