import type * as replaced from '../../../../api/http/fastPath.ts'

export const createFastPath: typeof replaced.createFastPath =
  () => (_request, _response, passToApp) =>
    passToApp()
