/** Problems that an operator can mend. Others, such as a missing file, may be bugs. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path isn’t a folder',
}

/** Why a file can't be used, in one line; null for any other error. */
export function describeFileProblem(error: unknown): string | null {
  const { code = '', path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  const words = WORDS[code]
  if (words === undefined || path === undefined) return null
  return `${path}: ${words} (${syscall}). Check the variable that names it, and the owner and mode of the file and of its folders`
}
