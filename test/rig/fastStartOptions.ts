import { fileURLToPath } from 'node:url'

const QUICK = new URL('../../services/process/modules/speedUpModuleLoading.ts', import.meta.url)

/** Node options that load a program from compiled cache, as roles and tools are loaded. */
export const FAST_START_OPTIONS = ['--no-warnings', '--import', fileURLToPath(QUICK)]
