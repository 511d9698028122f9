/** EIP-1193: the user declined. */
const REFUSED = 4001

/** An error in words: the owner's refusal, or the first line of the message with its code. */
export function wordsOf(error: unknown): string {
  const refused = causes(error).some(({ code }) => code === REFUSED)
  if (refused) return 'You declined it in your wallet. Nothing was sent.'
  const { shortMessage, message, code } = Object(error) as Partial<Record<string, unknown>>
  const [words = ''] = String(shortMessage ?? message ?? error).split('\n')
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`
  return typeof code === 'string' ? `${sentence} (${code})` : sentence
}

function causes(error: unknown): { code?: unknown }[] {
  const all: { code?: unknown; cause?: unknown }[] = []
  for (let one = error; one !== null && typeof one === 'object' && all.length < 10; ) {
    all.push(one)
    one = (one as { cause?: unknown }).cause
  }
  return all
}
