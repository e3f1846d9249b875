import { expect, test } from 'vitest'
import { mariadbQuestion, mariadbStatement, postgresStatements, restartedBy } from './reset.ts'
import type { ResetSpec } from './spec.ts'

const service = (name: string, kind: 'restart' | 'none', ...dependsOn: string[]) => ({
  name,
  dependsOn,
  reset: { kind },
})
const template = (engine: 'postgres' | 'mariadb', from = 'pristine'): ResetSpec & { kind: 'template' } => ({
  kind: 'template',
  database: 'shop',
  from,
  engine,
  client: [],
})

test('restarts a service with everything that depends on it, however far away', () => {
  const services = [
    service('db', 'restart'),
    service('mail', 'none'),
    service('app', 'none', 'db'),
    service('web', 'none', 'app', 'mail'),
  ]
  expect([...restartedBy(services)]).toEqual(['db', 'app', 'web'])
  expect([...restartedBy([service('db', 'none'), service('app', 'none', 'db')])]).toEqual([])
})

test('brings a PostgreSQL database back from its template, which nobody may be connected to', () => {
  expect(postgresStatements(template('postgres', `it's "it"`))).toEqual([
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN ('shop', 'it''s "it"') AND pid <> pg_backend_pid()`,
    'DROP DATABASE IF EXISTS "shop"',
    'CREATE DATABASE "shop" TEMPLATE "it\'s ""it"""',
  ])
})

test('copies every table that MariaDB names, in one statement, and nothing of its heading', () => {
  const answer = [
    'CONCAT(…)',
    'CREATE DATABASE `shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;',
    'CONCAT(…)',
    'CREATE TABLE `shop`.`a` LIKE `pristine`.`a`;',
    'CREATE TABLE `shop`.`b` LIKE `pristine`.`b`;',
    '',
  ]
  expect(mariadbStatement(template('mariadb'), answer.join('\n'))).toBe(
    "SET SESSION foreign_key_checks = 0, sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; DROP DATABASE IF EXISTS `shop`; " +
      'CREATE DATABASE `shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin; ' +
      'CREATE TABLE `shop`.`a` LIKE `pristine`.`a`; CREATE TABLE `shop`.`b` LIKE `pristine`.`b`;',
  )
  expect(mariadbStatement(template('mariadb'), answer.slice(0, 3).join('\n'))).toBeNull()
  expect(mariadbQuestion(template('mariadb', "it's"))).toContain("TABLE_SCHEMA = 'it''s' AND TABLE_TYPE = 'BASE TABLE'")
})
