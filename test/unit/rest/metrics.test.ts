import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { addReadings } from '../../../api/http/metrics.ts'

test('a value that a metric can’t have is left out, and the others are served', async () => {
  const registry = new Registry()
  const reading = (name: string, ...values: number[]) => ({
    name,
    help: 'help',
    labels: ['of'],
    read: () => values.map((value, at) => ({ labels: { of: String(at) }, value })),
  })
  addReadings(registry, [
    reading('counted_total', -1, 2, Number.NaN),
    reading('measured', -3, Number.NaN, Number.POSITIVE_INFINITY),
  ])
  const samples = (await registry.metrics()).split('\n').filter((line) => /^\w/.test(line))
  expect(samples).toEqual(['counted_total{of="1"} 2', 'measured{of="0"} -3'])
})
