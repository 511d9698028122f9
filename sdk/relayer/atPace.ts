import { CairnError } from '../errors/cairnError.ts'
import { abortableSleep } from '../events/abortableSleep.ts'

/** Repeats what the relayer's rate limit refuses, after a pause in milliseconds. */
export async function atPace<Answer>(
  { attempts, pauseMs }: { attempts: number; pauseMs: number },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      const isLimited = error instanceof CairnError && error.code === 'RATE_LIMITED'
      if (!isLimited || attempt === attempts) throw error
      await abortableSleep(pauseMs)
    }
  }
}
