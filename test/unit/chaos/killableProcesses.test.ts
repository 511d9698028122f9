import { expect, test } from 'vitest'
import { drawVictims, VICTIMS } from '../../chaos/killableProcesses.ts'

test('every victim has its turn before any has another, in an order set by the seed', () => {
  const order = drawVictims(7, 2 * VICTIMS.length)
  expect(order.slice(0, VICTIMS.length).toSorted()).toEqual(VICTIMS.toSorted())
  expect(order.slice(VICTIMS.length).toSorted()).toEqual(VICTIMS.toSorted())
  expect(drawVictims(7, 2 * VICTIMS.length)).toEqual(order)
  expect(drawVictims(8, 2 * VICTIMS.length)).not.toEqual(order)
})

test('only the named process is killed', () => {
  expect(drawVictims(7, 3, 'indexer')).toEqual(['indexer', 'indexer', 'indexer'])
})
