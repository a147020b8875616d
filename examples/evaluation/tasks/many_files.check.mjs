/** Each file begins with the line, and goes on as before. */
export async function check(workspace) {
  const view = await workspace.view()
  for (const { path, kind } of await view.list('src/v4/mini')) {
    if (kind !== 'file') continue
    const { text } = await workspace.call('read', { path, limit: 2 })
    if (!/^\/\/ zod\/mini\n\S/.test(text)) return `${path} does not begin with the line.`
  }
}
