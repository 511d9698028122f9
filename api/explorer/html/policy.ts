/**
 * What a page of the explorer may do: load this server's own script, style and data, and send its search
 * form here. Nothing inline, nothing from elsewhere; and no script can make markup out of text.
 */
export const EXPLORER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')
