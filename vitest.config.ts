import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { parity } from './src/vitest/plugin.ts'

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  plugins: [parity({ include: ['parity/**/*.parity.ts'] })],
  resolve: {
    alias: [
      { find: /^vitest-parity$/, replacement: source('./src/index.ts') },
      { find: /^vitest-parity\/plugin$/, replacement: source('./src/vitest/plugin.ts') },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'containers',
          include: ['src/**/*.docker.ts', 'test/docker/**/*.docker.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
