import { DatabaseError } from 'pg'
import { collationKey, searchKey } from './collation.ts'
import type { Database } from './database.ts'
import { type ProductFields, Refusal } from './input.ts'
import { sixDigits } from './numbers.ts'

// A day of zeros, which the legacy has, is before every other one.
const COLUMNS = `id::text, sku, name, category, description, price::text, stock::text, weight, active::text,
  CASE WHEN released = '-infinity' THEN '0000-00-00' ELSE to_char(released, 'YYYY-MM-DD') END AS released, attributes,
  to_char(created_at, 'YYYY-MM-DD HH24:MI:SS') AS created_at, to_char(updated_at, 'YYYY-MM-DD HH24:MI:SS') AS updated_at`

/** What is sorted by, by the name that callers use. */
const SORTABLE: Readonly<Record<string, string>> = {
  id: 'id',
  sku: 'sku_key',
  name: 'name_key',
  category: 'category_key',
  price: 'price',
  stock: 'stock',
  weight: 'weight',
  released: 'released',
  created_at: 'created_at',
}

/** A product as it is shown. */
export type Product = Readonly<Record<string, unknown>> & {
  readonly price: string
  readonly stock: string
  readonly updated_at: string
}

/** A condition with `?` for each of its values. */
export interface Condition {
  readonly sql: string
  readonly values: readonly unknown[]
}

type Client = Database['client']

export async function listProducts(
  client: Client,
  o: { conditions: readonly Condition[]; sort: string; descending: boolean; offset: number; limit: number },
): Promise<{ items: Product[]; total: string }> {
  const values = o.conditions.flatMap(condition => condition.values)
  let count = 0
  const where = ['TRUE', ...o.conditions.map(({ sql }) => sql.replaceAll('?', () => `$${++count}`))].join(' AND ')
  const { rows: counted } = await client.query(`SELECT count(*)::text AS total FROM products WHERE ${where}`, values)
  // by the column: a bare name would be that of the text it is shown as
  const column = `products.${Object.hasOwn(SORTABLE, o.sort) ? SORTABLE[o.sort] : 'id'}`
  const order = o.descending
    ? `${column} DESC NULLS LAST, products.id DESC`
    : `${column} ASC NULLS FIRST, products.id ASC`
  const page = `ORDER BY ${order} LIMIT ${o.limit} OFFSET ${o.offset}`
  const { rows } = await client.query(`SELECT ${COLUMNS} FROM products WHERE ${where} ${page}`, values)
  return { items: rows.map(shown), total: counted[0].total }
}

/** Percent and underscore in `q` are wildcards: callers use them. */
export async function searchProducts(client: Client, q: string): Promise<Product[]> {
  const { rows } = await client.query(
    `SELECT ${COLUMNS} FROM products WHERE name_key LIKE $1 OR description_key LIKE $1 ORDER BY name_key, products.id`,
    [`%${searchKey(q)}%`],
  )
  return rows.map(shown)
}

export async function listCategories(client: Client): Promise<unknown[]> {
  const { rows } = await client.query(
    `SELECT (array_agg(category ORDER BY products.id))[1] AS category, count(*)::text AS products, sum(stock)::text AS stock,
       round(avg(price), 6)::text AS average_price, min(price)::text AS cheapest,
       to_char(max(created_at), 'YYYY-MM-DD HH24:MI:SS') AS newest
     FROM products GROUP BY category_key ORDER BY category_key`,
  )
  return rows
}

/** @throws Refusal 404 */
export async function findProduct(client: Client, id: string): Promise<Product> {
  const { rows } = await client.query(`SELECT ${COLUMNS} FROM products WHERE id = $1::numeric`, [id])
  if (rows.length === 0) throw missing(id)
  return shown(rows[0])
}

/** The id of the new product. */
export async function insertProduct(client: Client, fields: ProductFields, now: string): Promise<string> {
  const row: Record<string, unknown> = { ...withKeys(fields), created_at: now, updated_at: now }
  const names = Object.keys(row)
  const places = names.map((_, at) => `$${at + 1}`)
  const { rows } = await refusingTaken(
    client.query(
      `INSERT INTO products (${names.join(', ')}) VALUES (${places.join(', ')}) RETURNING id::text`,
      Object.values(row),
    ),
  )
  return rows[0].id
}

/** Touches a product only where it changes. @throws Refusal 404, 409 */
export async function updateProduct(client: Client, id: string, fields: ProductFields, now: string): Promise<void> {
  const row = withKeys(fields)
  const set = Object.keys(row).map((name, at) => `${name} = $${at + 3}`)
  const { rowCount } = await refusingTaken(
    client.query(`UPDATE products SET ${set.join(', ')}, updated_at = $2 WHERE id = $1::numeric`, [
      id,
      now,
      ...Object.values(row),
    ]),
  )
  if (rowCount === 0) throw missing(id)
}

export async function deleteProduct(client: Client, id: string): Promise<void> {
  const { rowCount } = await client.query('DELETE FROM products WHERE id = $1::numeric', [id])
  if (rowCount === 0) throw missing(id)
}

/** What is left in stock. @throws Refusal 404, 409 */
export async function reserve(client: Client, o: { id: string; quantity: number; now: string }): Promise<string> {
  await findProduct(client, o.id)
  const { rowCount } = await client.query(
    'UPDATE products SET stock = stock - $2, updated_at = $3 WHERE id = $1::numeric AND stock >= $2',
    [o.id, o.quantity, o.now],
  )
  const { stock } = await findProduct(client, o.id)
  if (rowCount === 0) throw new Refusal(409, 'out_of_stock', `only ${stock} left`, { stock })
  return stock
}

function withKeys(fields: ProductFields): Record<string, unknown> {
  const row: Record<string, unknown> = { ...fields }
  for (const name of ['sku', 'name', 'category'] as const) {
    if (fields[name] !== undefined) row[`${name}_key`] = collationKey(fields[name])
  }
  if (fields.description !== undefined) row.description_key = searchKey(fields.description)
  return row
}

async function refusingTaken<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '23505') {
      throw new Refusal(409, 'duplicate', 'this SKU is taken')
    }
    throw error
  }
}

function missing(id: string): Refusal {
  return new Refusal(404, 'not_found', `no product ${id}`)
}

interface Row {
  readonly price: string
  readonly stock: string
  readonly weight: number | null
  readonly attributes: string
  readonly updated_at: string
}

function shown(row: Row): Product {
  return { ...row, weight: sixDigits(row.weight), attributes: JSON.parse(row.attributes) }
}
