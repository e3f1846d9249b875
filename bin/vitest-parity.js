#!/usr/bin/env node
// In the repository the command runs from its source, so that what is edited is what runs; the package holds dist alone.
import { existsSync } from 'node:fs'

const source = new URL('../src/cli/main.ts', import.meta.url)
await import(existsSync(source) ? source.href : '../dist/cli/main.js')
