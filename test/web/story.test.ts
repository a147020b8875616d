/** The whole story in a real browser: on the edge worker, across a restart, and on the memory of a tab. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, hasChromium } from '../../.ci/chromium.ts'
import type { AgentAnswer, ToolAnswer, WorkspaceList } from '../../src/http/routes.ts'
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

/** The same in the dark, and on a narrow screen. */
async function shots(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return
  await shot(page, name)
  await page.emulateMedia({ colorScheme: 'dark' })
  await shot(page, `${name}-dark`)
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-narrow.png`), fullPage: true })
  await page.emulateMedia({ colorScheme: 'light' })
  if (wide) await page.setViewportSize(wide)
}

/** A page shows the same fact in several places, one after another: each is waited for. */
const soon = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: LONG })

const treeItem = (page: Page, name: string) => page.locator(`[role=treeitem][data-path="${name}"]`)
const editorText = (page: Page) => page.locator('.cm-content')
const newest = (page: Page) => page.locator('.changes .change').first()

/** Import, view, edit by a tool, see the difference, undo, redo, search, edit by hand: what both kinds of workspace can do. */
async function tellStory(page: Page, place: string): Promise<void> {
  await page.getByRole('button', { name: 'Import folder' }).click()
  await page.setInputFiles('input[type=file]', PACKAGE)
  await page.waitForSelector('dialog', { state: 'detached', timeout: LONG })
  await treeItem(page, 'package.json').waitFor()
  await soon(() => newest(page).textContent()).toMatch(/import.*Import of typescript \([\d,]+ files\).*#1/)
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

/** Sends a call through the hub, and waits until its answer says what is expected. */
type HubCall = (operation: string, path: string, config: object, expected: RegExp) => Promise<void>

/** Calls by an agent with a token of its own, which the page's session makes. */
async function agentOf(page: Page): Promise<HubCall> {
  const { origin } = new URL(page.url())
  const session = await page.evaluate(() => sessionStorage.getItem('filewright.session'))
  const send = async <Answer>(token: string | null, method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(`${origin}/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return answer.json() as Promise<Answer>
  }
  const { token } = await send<AgentAnswer>(session, 'POST', '/agents', { name: 'robot' })
  const { workspaces } = await send<WorkspaceList>(token, 'GET', '/workspaces')
  const tool = `/workspaces/${workspaces[0]?.id}/tools/file_ops_hub`
  return async (operation, path, config, expected) => {
    expect((await send<ToolAnswer>(token, 'POST', tool, { operation, path, config })).text).toMatch(expected)
  }
}

/** Calls by the person at the tool console, who sends a call again that was approved. */
function consoleOf(page: Page): HubCall {
  return async (operation, path, config, expected) => {
    await page.getByRole('button', { name: 'Tools' }).click()
    const again = page.getByRole('button', { name: 'Send again' })
    if (await again.isVisible()) await again.click()
    else {
      await page.locator('.tool-console header select').selectOption('file_ops_hub')
      await page.selectOption('#field-operation', operation)
      await page.fill('#field-path', path)
      await page.fill('#field-config', JSON.stringify(config))
      await page.getByRole('button', { name: 'Run file_ops_hub' }).click()
    }
    await page.locator('.answer').getByText(expected).first().waitFor()
  }
}

/** What waits, the exact changes, both decisions, and the record of the one that ran. */
async function tellApprovals(page: Page, place: string, call: HubCall): Promise<void> {
  const inbox = page.getByRole('button', { name: /^Approvals/ })
  const license = readFileSync(join(PACKAGE, 'LICENSE'), 'utf8').split('\n').length - 1
  await call('delete_file', 'LICENSE', {}, /needs a person's approval/)
  await inbox.locator('.badge', { hasText: /^1$/ }).waitFor()
  await soon(() => page.title()).toMatch(/^\(1\) /)
  await inbox.click()
  await soon(() => page.locator('.request .removed').count()).toBe(license)
  await page.getByRole('button', { name: 'Approve once' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.request.granted').waitFor()
  await soon(() => page.title()).not.toContain('(')
  await call('delete_file', 'LICENSE', {}, /^Deleted/)
  await treeItem(page, 'LICENSE').waitFor({ state: 'detached' })
  await newest(page).filter({ hasText: 'delete_file' }).filter({ hasText: 'approved' }).click()
  await page.locator('.change-panel .approved', { hasText: 'Approved by person' }).waitFor()
  await shot(page, `${place}-approved`)

  const hidden = { content: 'admin = true // \u202e only for friends\n', force_overwrite: true, create_backup: false }
  await call('write_file', 'README.md', hidden, /needs a person's approval/)
  await inbox.click()
  await page.locator('.request .added mark', { hasText: 'U+202E' }).waitFor()
  await shots(page, `${place}-inbox`)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.locator('.request.denied').waitFor()
  await call('write_file', 'README.md', hidden, /A person refused this call/)
}

describe('on the edge worker', () => {
  it(
    'everything can be done, and is still there after a restart',
    async () => {
      const page = await openPage(server.address)
      await page.fill('form input', 'The TypeScript package')
      await page.getByRole('button', { name: 'Create workspace' }).click()
      await tellStory(page, 'server')
      await tellApprovals(page, 'server', await agentOf(page))
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
      await soon(() => again.locator('.changes .change').count()).toBeGreaterThanOrEqual(5)
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
      await tellApprovals(page, 'tab', consoleOf(page))
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
