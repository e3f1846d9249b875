/**
 * `stock find <sku...> | total [--bin <bin>] | report`: the rewrite of `labs/stock-node010/stock.js`. The words of the
 * command line arrive as a JSON list on standard input.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

const USAGE = 'usage: stock find <sku...> | total [--bin <bin>] | report'
const SKU = /^[A-Z\u00c0-\u00de]-\d{3}$/
const EXIT = { ok: 0, partial: 1, usage: 2, notFound: 3, invalid: 4 } as const

interface Article {
  readonly sku: string
  readonly bin: string
  readonly pieces: number
  readonly price: number
}

interface Ended {
  readonly exit: number
  readonly out: readonly string[]
  readonly err: readonly string[]
}

function readTable(): readonly Article[] {
  const lines = readFileSync(new URL('./stock.txt', import.meta.url), 'utf8').split('\n')
  return lines
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [sku = '', bin = '', pieces, price] = line.split(';')
      return { sku, bin, pieces: Number(pieces), price: Number(price) }
    })
}

function ended(exit: number, out: readonly string[], err: readonly string[] = []): Ended {
  return { exit, out, err }
}

function wrongUsage(...lines: readonly string[]): Ended {
  return ended(EXIT.usage, [], [...lines, USAGE])
}

function find(skus: readonly string[]): Ended {
  if (skus.length === 0) return wrongUsage('stock: find: which?')
  const wrong = skus.filter(sku => !SKU.test(sku))
  if (wrong.length > 0) {
    return ended(
      EXIT.invalid,
      [],
      wrong.map(sku => `stock: ${sku}: no article number`),
    )
  }
  const table = new Map(readTable().map(article => [article.sku, article]))
  const out: string[] = []
  const err: string[] = []
  for (const sku of skus) {
    const article = table.get(sku)
    if (article === undefined) err.push(`stock: ${sku}: not found`)
    else {
      const { bin, pieces } = article
      out.push(`${sku} ${bin}${String(pieces).padStart(5)}${pieces === 0 ? ' SOLD OUT' : ''}`)
    }
  }
  const none = out.length === 0 ? EXIT.notFound : EXIT.partial
  return ended(err.length === 0 ? EXIT.ok : none, out, err)
}

function total(words: readonly string[]): Ended {
  const [option, bin] = words
  // BUG-1: an option that lacks its name is unknown.
  if (option !== undefined && (option !== '--bin' || words.length !== 2)) {
    return wrongUsage(`stock: total: unknown option ${option}`)
  }
  const articles = readTable().filter(article => bin === undefined || article.bin === bin)
  if (articles.length === 0) return ended(EXIT.notFound, [], [`stock: bin ${bin}: not found`])
  const pieces = articles.reduce((sum, article) => sum + article.pieces, 0)
  const rows = { articles: articles.length, pieces, worth: worthOf(articles).toFixed(2) }
  return ended(
    EXIT.ok,
    Object.entries(rows).map(([name, value]) => name.padEnd(8) + String(value).padStart(10)),
  )
}

function worthOf(articles: readonly Article[]): number {
  return articles.reduce((sum, { pieces, price }) => sum + pieces * price, 0)
}

function report(words: readonly string[]): Ended {
  if (words.length > 0) return wrongUsage('stock: report: too many words')
  const bins = [...Map.groupBy(readTable(), ({ bin }) => bin)].map(([bin, articles]) => ({
    bin,
    pieces: articles.reduce((sum, { pieces }) => sum + pieces, 0),
    worth: Number(worthOf(articles).toFixed(2)),
    empty: articles.filter(({ pieces }) => pieces === 0).map(({ sku }) => sku),
  }))
  const id = `r-${randomBytes(4).toString('hex')}`
  return ended(
    EXIT.ok,
    [JSON.stringify({ report: id, at: process.env.PARITY_CLOCK, bins })],
    bins.flatMap(({ empty }) => empty.map(sku => `stock: warning: ${sku} is sold out`)),
  )
}

function listOf(text: string): readonly string[] | null {
  try {
    const words: unknown = JSON.parse(text)
    return Array.isArray(words) ? words.map(String) : null
  } catch {
    return null
  }
}

function run(text: string): Ended {
  const words = listOf(text)
  if (words === null) return ended(EXIT.invalid, [], ['stock: the words of the command line are no list'])
  if (words.includes('--help')) return ended(EXIT.ok, [USAGE])
  const [name, ...rest] = words
  switch (name) {
    case 'find':
      return find(rest)
    case 'total':
      return total(rest)
    case 'report':
      return report(rest)
    case undefined:
      return wrongUsage()
    default:
      return wrongUsage(`stock: unknown command ${name}`)
  }
}

const { exit, out, err } = run(readFileSync(0, 'utf8'))
process.stdout.write(out.map(line => `${line}\n`).join(''))
process.stderr.write(err.map(line => `${line}\n`).join(''))
process.exitCode = exit
