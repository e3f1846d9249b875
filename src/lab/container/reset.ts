import type { ServiceSpec } from './spec.ts'

/** Names of the services that a reset starts anew: those that say so, and whatever depends on one of them. */
export function restartedBy(
  services: readonly (Pick<ServiceSpec, 'name' | 'dependsOn'> & { readonly reset: { readonly kind: string } })[],
): Set<string> {
  const names = new Set<string>()
  // In boot order what a service depends on stands before it.
  for (const service of services) {
    if (service.reset.kind === 'restart' || service.dependsOn.some(name => names.has(name))) names.add(service.name)
  }
  return names
}

type Template = ServiceSpec['reset'] & { readonly kind: 'template' }

/** Names of databases are quoted: lab.yaml may hold any. */
function quoted(name: string, quote: '"' | '`'): string {
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** The statements that bring a PostgreSQL database back, each in a transaction of its own. Whoever is connected is thrown out. */
export function postgresStatements(reset: Template): string[] {
  const [database, from] = [quoted(reset.database, '"'), quoted(reset.from, '"')]
  const others = `datname IN (${literal(reset.database)}, ${literal(reset.from)}) AND pid <> pg_backend_pid()`
  return [
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`,
    `DROP DATABASE IF EXISTS ${database}`,
    `CREATE DATABASE ${database} TEMPLATE ${from}`,
  ]
}

/**
 * The statements that ask MariaDB for the ones that bring a database back, one a line: the database in its character set,
 * then its tables with their columns, indexes, rows and next number. Views, triggers, routines and foreign keys are not copied.
 */
export function mariadbQuestion(reset: Template): string {
  const inText = (name: string): string => quoted(name, '`').replaceAll("'", "''")
  const [database, from] = [inText(reset.database), inText(reset.from)]
  const table = "CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '`')"
  const copy = [
    `'CREATE TABLE ${database}.', ${table}, ' LIKE ${from}.', ${table}`,
    `'; INSERT INTO ${database}.', ${table}, ' SELECT * FROM ${from}.', ${table}`,
    `IF(AUTO_INCREMENT IS NULL, '', CONCAT('; ALTER TABLE ${database}.', ${table}, ' AUTO_INCREMENT = ', AUTO_INCREMENT)), ';'`,
  ]
  const charset = "' CHARACTER SET ', DEFAULT_CHARACTER_SET_NAME, ' COLLATE ', DEFAULT_COLLATION_NAME, ';'"
  return [
    `SELECT CONCAT('CREATE DATABASE ${database}', ${charset}) FROM information_schema.SCHEMATA`,
    ` WHERE SCHEMA_NAME = ${literal(reset.from)};`,
    ` SELECT CONCAT(${copy.join(', ')}) FROM information_schema.TABLES`,
    ` WHERE TABLE_SCHEMA = ${literal(reset.from)} AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME`,
  ].join('')
}

/** The one statement that does it, from the answer to `mariadbQuestion`. Null: there is no such database, or it has no tables. */
export function mariadbStatement(reset: Template, answer: string): string | null {
  const lines = answer.split('\n').filter(line => /^CREATE (?:DATABASE|TABLE) /.test(line))
  if (lines.length < 2) return null
  return [
    "SET SESSION foreign_key_checks = 0, sql_mode = 'NO_AUTO_VALUE_ON_ZERO';",
    `DROP DATABASE IF EXISTS ${quoted(reset.database, '`')};`,
    ...lines,
  ].join(' ')
}
