const URLS =
  /\b(https?|wss?|postgres(?:ql)?):\/\/(?:[^\s"\\/]*@)?([^\s"\\/?#]+)(?:[/?#][^\s"\\]*)?/gi

/**
 * Cuts each URL in a text to scheme and host, because the rest may hold an access key or a password.
 * JSON stays valid.
 */
export function hideUrls(text: string): string {
  return text.replace(URLS, (url, scheme: string, host: string) => {
    const shown = `${scheme}://${host}`
    return url === shown || url === `${shown}/` ? url : `${shown}/…`
  })
}
