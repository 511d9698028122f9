import { type Address, encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { encodeBridgeCall } from '../../chain/encodeBridgeCall.ts'
import { type Call, effectKey, requestSolverTransaction } from '../journal/transactionJournal.ts'
import type { UpkeepAction } from '../plan/solverActionTypes.ts'
import type { Snapshot } from '../plan/solverSnapshot.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'
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
  const { bridge: to } = chainOf(solver, action.chainId)
  const { address, sealingPoint } = solver.account
  if (action.do === 'seal')
    return { to, data: encodeBridgeCall('setSealingKey', [sealingPoint.x, sealingPoint.y]) }
  if (action.do === 'block') return { to: address, data: '0x' }
  const token = action.token as Address
  switch (action.do) {
    case 'approve': {
      const allowed = chains.get(action.chainId)?.allowances.get(action.token) ?? 0n
      // Without limit. Some tokens require revoking an existing allowance first.
      const args = [to, allowed === 0n ? maxUint256 : 0n] as const
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
      return { to: token, data }
    }
    case 'stake':
    case 'unstake':
      return { to, data: encodeBridgeCall(action.do, [token, action.amount]) }
    case 'claim':
      return { to, data: encodeBridgeCall('claim', [token, address]) }
  }
}
