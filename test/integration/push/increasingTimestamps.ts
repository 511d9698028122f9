/** Seconds by which what is signed may be old at first; a signature is good for 300. */
const AGE = 200

/** Unix seconds to be signed: each later than the one before, and recent however long the tests take. */
export function increasingTimestamps(): () => number {
  let last = 0
  return () => {
    last = Math.max(last + 1, Math.floor(Date.now() / 1_000) - AGE)
    return last
  }
}
