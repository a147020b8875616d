/** The whole story in a real browser: on the edge worker, across a restart, and on the memory of a tab. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, hasChromium } from '../../.ci/chromium.ts'
import { type LocalServer, startServer } from './local_server.ts'

const PACKAGE = join(import.meta.dirname, '..', '..', 'node_modules', 'typescript')
const MANIFEST = readFileSync(join(PACKAGE, 'package.json'), 'utf8')
/** Where screenshots go when somebody wants to look at them. */
const SCREENSHOTS = process.env.SCREENSHOTS
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const LONG = 120_000

let browser: Browser
let server: LocalServer
let state: string
/** What the browser complained of: broken policies, failed scripts. */
const complaints: string[] = []

beforeAll(async () => {
  if (!hasChromium) throw new Error(`There is no Chromium at ${CHROMIUM}: install the package chromium, or set CHROMIUM to the program.`)
  state = mkdtempSync(join(tmpdir(), 'filewright-story-'))
  if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true })
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
  server = await startServer(state)
}, LONG)

afterAll(async () => {
  await browser?.close()
  await server?.stop()
  rmSync(state, { recursive: true, force: true })
}, LONG)

async function openPage(address: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(30_000)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.goto(address)
  return page
}

async function shot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) })
}

const treeItem = (page: Page, name: string) => page.locator(`[role=treeitem][data-path="${name}"]`)
const editorText = (page: Page) => page.locator('.cm-content')
const newest = (page: Page) => page.locator('.changes .change').first()

/** Import, view, edit by a tool, see the difference, undo, redo, search, edit by hand: what both kinds of workspace can do. */
async function tellStory(page: Page, place: string): Promise<void> {
  await page.getByRole('button', { name: 'Import folder' }).click()
  await page.setInputFiles('input[type=file]', PACKAGE)
  await page.waitForSelector('dialog', { state: 'detached', timeout: LONG })
  await treeItem(page, 'package.json').waitFor()
  expect(await newest(page).textContent()).toMatch(/import.*Import of typescript \([\d,]+ files\).*#1/)
  await shot(page, `${place}-imported`)

  await treeItem(page, 'lib').press('ArrowRight')
  await treeItem(page, 'lib/tsc.js').waitFor()
  await treeItem(page, 'package.json').click()
  await editorText(page).getByText('"typescript"', { exact: true }).first().waitFor()
  await shot(page, `${place}-file`)

  await page.getByRole('button', { name: 'Tools' }).click()
  await page.selectOption('select', 'edit_file')
  await page.fill('#field-file_path', 'package.json')
  await page.fill(
    '#field-replacements',
    JSON.stringify([{ old_content: '"name": "typescript"', new_content: '"name": "filewright-was-here"' }]),
  )
  await page.getByRole('button', { name: 'Run edit_file' }).click()
  await page.locator('.answer .added').getByText('filewright-was-here').waitFor()
  await shot(page, `${place}-tool`)

  await newest(page).filter({ hasText: 'edit_file' }).click()
  await page.locator('.change-panel .removed').getByText('"name": "typescript"').waitFor()
  await page.locator('.change-panel .added').getByText('"name": "filewright-was-here"').waitFor()
  await shot(page, `${place}-change`)

  await page.getByRole('button', { name: 'Undo this change' }).click()
  await page.getByRole('button', { name: 'Undone', exact: true }).waitFor()
  await treeItem(page, 'package.json').click()
  await editorText(page).getByText('"typescript"', { exact: true }).first().waitFor()

  await page.getByRole('tab', { name: 'Search' }).click()
  await page.fill('input[type=search]', 'Apache-2.0')
  await page.keyboard.press('Enter')
  await page.locator('.search summary', { hasText: 'package.json' }).waitFor()
  await shot(page, `${place}-search`)
  await page.getByRole('tab', { name: 'Files' }).click()

  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('\n')
  await page.keyboard.press('Control+s')
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('Undo of change').first().waitFor()
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText(/The chain of \d+ records is sound/).waitFor()
}

describe('on the edge worker', () => {
  it(
    'everything can be done, and is still there after a restart',
    async () => {
      const page = await openPage(server.address)
      await page.fill('form input', 'The TypeScript package')
      await page.getByRole('button', { name: 'Create workspace' }).click()
      await tellStory(page, 'server')
      expect(page.url()).not.toContain('token')
      await page.reload()
      await page.getByText('The TypeScript package').waitFor()
      await page.close()

      await server.stop()
      server = await startServer(state)
      const again = await openPage(server.address)
      await shot(again, 'server-start')
      await again.getByText('The TypeScript package').click()
      await treeItem(again, 'package.json').click()
      await newest(again).waitFor()
      expect(await again.locator('.changes .change').count()).toBeGreaterThanOrEqual(5)
      await editorText(again).getByText('"typescript"', { exact: true }).first().waitFor()
      await again.close()
      expect(complaints).toEqual([])
    },
    2 * LONG,
  )

  it('a used token opens nothing', async () => {
    const page = await openPage(server.address)
    await page.getByText('used already').waitFor()
    await page.close()
    complaints.length = 0
  })
})

describe('on the memory of a tab', () => {
  it(
    'the same can be done without a session',
    async () => {
      const asked: string[] = []
      const page = await openPage(new URL('/', server.address).href)
      page.on('request', (request) => new URL(request.url()).pathname.startsWith('/v1') && asked.push(request.url()))
      await page.getByRole('button', { name: 'Open a workspace in this tab' }).click()
      await tellStory(page, 'tab')
      await page.close()
      expect(asked).toEqual([])
      expect(complaints).toEqual([])
    },
    LONG,
  )
})

it('the package is a real one', () => {
  expect(JSON.parse(MANIFEST)).toMatchObject({ name: 'typescript' })
})
