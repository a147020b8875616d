/** Starts the page: on the server that sent it when there is a session, and on the tab's own memory when the person says so. */
import { render } from 'preact'
import { createClient } from './api/client.ts'
import { openServer } from './api/server.ts'
import { messageOf } from './api/transport.ts'
import { App } from './app.tsx'

const page = document.getElementById('page') as HTMLElement

try {
  const server = await openServer()
  render(<App server={server && createClient(server)} problem={null} />, page)
} catch (error) {
  render(<App server={null} problem={messageOf(error)} />, page)
}
