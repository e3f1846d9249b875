/** Controls, format characters (what reorders or hides text), line and paragraph separators, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/**
 * Returns text that came from outside so that it stands in one line of a terminal and shows what it holds:
 * control characters, bidirectional controls and lone surrogates become `\u{…}`, line ends `\n`. Escaping twice changes nothing.
 */
export function escapeText(text: string): string {
  return text.replaceAll(UNSAFE, one => {
    if (one === '\n') return '\\n'
    if (one === '\t') return '\\t'
    if (one === '\r') return '\\r'
    return `\\u{${one.codePointAt(0)?.toString(16)}}`
  })
}

/** The same for text that may have several lines: its line ends stay. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeText).join('\n')
}

/** Returns text about this machine as it reads on any other: paths below `folder` from there, and `.` for the folder itself. */
export function withoutFolder(text: string, folder: string): string {
  return text.replaceAll(`${folder}/`, '').replaceAll(folder, '.')
}
