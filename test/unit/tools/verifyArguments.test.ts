import { expect, test } from 'vitest'
import { readArguments, UsageError } from '../../../tools/verify/readArguments.ts'

test.each([
  [['--rpc', 'http://127.0.0.1:1/a-key'], '--rpc: expected <chain>=http://… or https://…'],
  [['--rpc', 'http://u:pw@node/?key=a-key'], '--rpc: expected <chain>=http://… or https://…'],
  [['--rpc', 'base_sepolia=a-key'], '--rpc: expected <chain>=http://… or https://…'],
  [['--rpc', 'nowhere=http://node'], '--rpc: no chain is called nowhere: give its numeric id'],
  [['--rpc', '84532=http://a', '--rpc', 'base_sepolia=http://b'], '--rpc names base_sepolia twice'],
  [['--bridge', 'base_sepolia=0x12'], '--bridge: expected <chain>=0x and 40 hex digits'],
])('%j is refused with what to give', (args, words) => {
  const read = () => readArguments(['proof.json', ...args])
  expect(read).toThrow(UsageError)
  expect(read).toThrow(new UsageError(words))
})
