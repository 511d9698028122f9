/** Number of latest lines kept for error messages. */
const KEPT = 40

/** Joins chunks of a program's output streams into lines. */
export type OutputLines = {
  add(stream: string, text: string): void
  /** Calls the listener for each line; returns a function that removes it. */
  onLine(listener: (line: string) => void): () => void
  last(): string[]
}

export function collectLines(): OutputLines {
  const recent: string[] = []
  const listeners = new Set<(line: string) => void>()
  const rests = new Map<string, string>()
  return {
    add: (stream, text) => {
      const parts = ((rests.get(stream) ?? '') + text).split('\n')
      rests.set(stream, parts.pop() ?? '')
      for (const line of parts) {
        recent.push(line)
        if (recent.length > KEPT) recent.shift()
        for (const listener of listeners) listener(line)
      }
    },
    onLine: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    last: () => [...recent],
  }
}
