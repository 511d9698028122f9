import pino from 'pino'
import { expect, test } from 'vitest'
import { createSolverLog } from '../../../services/solver/solverLog.ts'

test('a shortage of funds is logged once, with what to do', () => {
  const lines: string[] = []
  const log = createSolverLog(pino({ level: 'info' }, { write: (line) => void lines.push(line) }))
  for (const holds of [5n, 6n])
    log.shortOfFunds('base_sepolia', '0x11', { chainId: 84532, symbol: null, holds, needs: 20n })
  log.shortOfFunds('base_sepolia', '0x11', { chainId: 84532, symbol: 'USDC', holds: 1n, needs: 2n })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      ...{ chain: 'base_sepolia', holds: '5', needs: '20' },
      msg: 'too little of the chain’s coin, so neither staking nor bidding there: send some to 0x11',
    },
    {
      ...{ symbol: 'USDC', holds: '1', needs: '2' },
      msg: 'too few tokens for the policy’s stake, so bidding less or not at all: send some to 0x11, or lower the stake',
    },
  ])
})

test('a sealing key that is not ours is logged once a chain, with what to do', () => {
  const lines: string[] = []
  const log = createSolverLog(pino({ level: 'info' }, { write: (line) => void lines.push(line) }))
  for (const chain of ['base_sepolia', 'base_sepolia', 'horizen_testnet'])
    log.foreignSealingKey(chain, '0x11')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { code: 'SEALING_KEY_DIFFERS', chain: 'base_sepolia', level: 50 },
    { code: 'SEALING_KEY_DIFFERS', chain: 'horizen_testnet', level: 50 },
  ])
})
