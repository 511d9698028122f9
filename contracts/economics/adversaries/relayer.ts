import type { Strategy } from '../adversaryStrategy.ts'
import { duration } from '../playAuction.ts'
import { honestRelayer, honestSolver, type RelayerPolicy } from '../players.ts'

/** A relayer whose own solver plays honestly while the relayer abuses its position. */
function withOwnSolver(name: string, policy: (own: number) => Partial<RelayerPolicy>): Strategy {
  return {
    name,
    cast: (solvers, { first }, market) => ({
      solvers: [...solvers, honestSolver(first, market)],
      relayer: { ...honestRelayer, ...policy(first) },
    }),
  }
}

export const relayers: Strategy[] = [
  withOwnSolver('tells only its own solver', (own) => ({ tells: (winner) => winner === own })),
  withOwnSolver('tells only its own solver, never reveals', (own) => ({
    tells: (winner) => winner === own,
    reveals: false,
  })),
  withOwnSolver('anchors in the last block before firmAt (2 s)', () => ({
    anchorAt: duration - 32,
  })),
  withOwnSolver('anchors in the last block before firmAt (12 s)', () => ({
    anchorAt: duration - 48,
  })),
  withOwnSolver('never anchors', () => ({ anchorAt: duration })),
]
