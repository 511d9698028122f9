/**
 * The pages' Content-Security-Policy. They load scripts, styles and data from this server only, submit forms to it
 * only, and have nothing inline. Trusted types keep scripts from parsing text as markup.
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
