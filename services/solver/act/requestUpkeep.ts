import type { Address } from 'viem'
import { type Call, effectKey, requestSolverTransaction } from '../journal/transactionJournal.ts'
import type { UpkeepAction } from '../plan/solverActionTypes.ts'
import type { Snapshot } from '../plan/solverSnapshot.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'
import {
  encodeApproveCall,
  encodeClaimCall,
  encodeSealingKeyCall,
  encodeStakeCall,
} from './encodeBridgeCalls.ts'
import { rehearseApproval } from './rehearseIntent.ts'

/** Requests a transaction that keeps us able to bid or deposit, or claims our credits. */
export async function requestUpkeep(
  solver: SolverContext,
  action: UpkeepAction,
  snapshot: Snapshot,
): Promise<void> {
  const { account, db, events } = solver
  const call = callOf(solver, action, snapshot)
  if (action.do === 'approve') await rehearseApproval(solver, action.chainId, call)
  if (await requestSolverTransaction(db, account, keyOf(action), call)) events.upkeep(action)
}

function keyOf(action: UpkeepAction) {
  switch (action.do) {
    case 'seal':
      return effectKey.seal(action.chainId)
    case 'block':
      return effectKey.block(action.chainId, action.after)
    default:
      return effectKey.token(action.do, action.chainId, action.token)
  }
}

function callOf(solver: SolverContext, action: UpkeepAction, { chains }: Snapshot): Call {
  const { bridge } = chainOf(solver, action.chainId)
  switch (action.do) {
    case 'approve': {
      const allowed = chains.get(action.chainId)?.allowances.get(action.token) ?? 0n
      return { to: action.token as Address, data: encodeApproveCall(bridge, allowed) }
    }
    case 'block':
      return { to: solver.account.address, data: '0x' }
    case 'seal':
      return { to: bridge, data: encodeSealingKeyCall(solver.account.sealingPoint) }
    case 'stake':
    case 'unstake':
      return {
        to: bridge,
        data: encodeStakeCall(action.do, action.token as Address, action.amount),
      }
    case 'claim':
      return { to: bridge, data: encodeClaimCall(action.token as Address, solver.account.address) }
  }
}
