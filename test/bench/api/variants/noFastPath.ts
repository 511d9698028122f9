import type { FastPath } from '../../../../api/http/fastPath.ts'

export function createFastPath(): FastPath {
  return (_request, _response, passToApp) => passToApp()
}
