/** Test projects: Node, workerd (the edge runtime), our worker in it, and Chromium. The end of a file's name says where it runs. */
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { playwright } from '@vitest/browser-playwright'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'
import type { BrowserConfigOptions } from 'vitest/node'
import { CHROMIUM, hasChromium } from './.ci/chromium.ts'
import { closingLine } from './.ci/reporter.ts'

const WORKERD = 'test/**/*.workerd.test.ts'
const WORKER = 'test/worker/*.workerd.test.ts'
const BROWSER = 'test/**/*.browser.test.ts'

// Local tests talk to nobody.
Object.assign(process.env, {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
})

// A machine that is busy with other things is slow, not wrong.
const patience = { testTimeout: 30_000, hookTimeout: 30_000, setupFiles: ['./test/seed.ts'] }

const browser: BrowserConfigOptions = {
  enabled: true,
  headless: true,
  screenshotFailures: false,
  instances: [{ browser: 'chromium' }],
  provider: playwright({
    launchOptions: {
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  }),
}

const config: ViteUserConfig = defineConfig({
  test: {
    fsModuleCache: false,
    reporters: ['default', closingLine()],
    projects: [
      {
        test: {
          name: 'node',
          ...patience,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, WORKERD, BROWSER],
        },
      },
      {
        plugins: [
          cloudflareTest({
            main: './test/worker.workerd.ts',
            miniflare: {
              compatibilityDate: '2026-04-01',
              compatibilityFlags: ['nodejs_compat'],
              durableObjects: { STORAGE: { className: 'TestStorage', useSQLite: true } },
            },
          }),
        ],
        test: { name: 'workerd', ...patience, include: [WORKERD], exclude: [...configDefaults.exclude, WORKER], fsModuleCache: false },
      },
      {
        // The worker itself, as it is deployed.
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.jsonc' },
            miniflare: { bindings: { FILEWRIGHT_SECRET: 'a-secret-of-the-tests-that-is-long-enough', FILEWRIGHT_HOSTS: '127.0.0.1:8787' } },
          }),
        ],
        test: { name: 'worker', ...patience, include: [WORKER], fsModuleCache: false },
      },
      {
        test: {
          name: 'chromium',
          ...patience,
          include: [BROWSER],
          ...(hasChromium ? { browser } : { setupFiles: ['./.ci/no_chromium.ts'] }),
        },
      },
    ],
  },
})

export default config
