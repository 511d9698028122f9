import { serveLocally } from './serveLocally.ts'

/** A service that takes requests and never answers, until the test ends. */
export async function serveSilently() {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const url = await serveLocally((request) => {
    asked.resolve()
    request.socket.once('close', () => left.resolve())
  })
  return {
    url,
    /** Resolves once there is a request. */
    asked: asked.promise,
    /** Resolves once a client has given up. */
    left: left.promise,
  }
}
