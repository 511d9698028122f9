import { expect, test } from 'vitest'
import { findJournalProblems, type JournalLine } from '../../chaos/findJournalProblems.ts'

const line = (id: string, more: Partial<JournalLine> = {}): JournalLine => ({
  id,
  type: 'intent.expired',
  key: 'intent.expired@84532:1795409732',
  stands: true,
  source: '84532',
  intent: '1',
  order: null,
  ...more,
})

test('two intents that miss the same deadline are two facts', () => {
  expect(findJournalProblems([line('a'), line('b', { intent: '2' })])).toEqual([])
  expect(findJournalProblems([line('a'), line('b', { source: '26514' })])).toEqual([])
})

test('repeated and reverted events of an intent or order are found', () => {
  expect(findJournalProblems([line('a'), line('b')])).toEqual([
    'event b repeats: intent.expired@84532:1795409732 of intent 1 from 84532',
  ])
  const order = { intent: null, order: '0x01', key: 'order.created@84532:0xaa:0' }
  expect(findJournalProblems([line('a', order), line('b', order)])).toHaveLength(1)
  expect(findJournalProblems([line('a', order), line('b', { ...order, order: '0x02' })])).toEqual(
    [],
  )
  expect(findJournalProblems([line('a', { stands: false })])).toHaveLength(1)
  expect(findJournalProblems([line('a', { type: 'intent.reorged', key: null })])).toHaveLength(1)
})
