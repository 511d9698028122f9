import type { FastPath } from '../../../../api/http/fastPath.ts'

export function createLane(): FastPath {
  return (_request, _response, leaveToApp) => leaveToApp()
}
