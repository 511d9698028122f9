import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import { type Health, healthSchema } from './healthReader.ts'

/** `GET /health`: 200 while the process lives; `status` is `degraded` if anything is wrong. */
export function addHealthRoute(app: App, readHealth: () => Promise<Health>): void {
  addEndpoint(app, {
    method: 'get',
    path: '/health',
    tag: 'Service',
    summary: 'The state of the service and each chain',
    answer: healthSchema,
    handler: readHealth,
  })
}
