/** The repository of a workspace against git itself: what it tells, and what its acts leave behind. */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Oid } from '../../../src/core/repository.ts'
import { at, commit, draft, hashOf, link, makeDirectory, move, readText, remove, scanPaths, write } from '../../../src/testing/setup.ts'
import { commitFiles, writeTree } from '../../git/real_git.ts'
import { ADA, onRepository } from './place.ts'

const request = { message: 'Edits', author: ADA }

test('begins as HEAD is, and leaves no trace until something is written', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    expect(await scanPaths(fs, '')).toEqual(git('ls-tree', '-r', '-t', '--name-only', 'HEAD').split('\n'))
    expect(await readText(fs, 'src/a.txt')).toBe('a\n')
    const { changes, base, tip, branch, beside } = await fs.repository.status()
    expect([changes, beside, base, tip, branch]).toEqual([[], [], git('rev-parse', 'HEAD'), null, 'filewright/main'])
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    expect(await fs.stat(at('bin/run'))).toMatchObject({ mode: 0o755, size: 10, mtimeMs: null, hash: null })
    expect(await fs.stat(at('link'))).toMatchObject({ kind: 'link', target: 'README.md', size: null })
  }))

test('status is what git says of the same files, and a commit is the tree that git would make', () =>
  onRepository(async ({ dir, git, open }) => {
    const fs = await open()
    await commit(
      fs,
      write(fs, 'src/a.txt', 'changed\n', hashOf(fs, 'a\n')),
      remove('src/deep/er/c.txt', hashOf(fs, 'c\n')),
      move('bin', 'tools', 'directory'),
      { ...write(fs, 'new.sh', '#!/bin/sh\n'), mode: 0o755 },
      link('src/link', '../README.md'),
      makeDirectory('nothing in it'),
    )
    // The same edits, made in the worktree.
    writeTree(dir, { 'src/a.txt': 'changed\n', 'new.sh*': '#!/bin/sh\n', 'src/link': '-> ../README.md' })
    rmSync(join(dir, 'src/deep/er/c.txt'))
    renameSync(join(dir, 'bin'), join(dir, 'tools'))
    git('add', '-A')
    const { changes, beside } = await fs.repository.status()
    expect(changes.map(({ path, before, after }) => `${before ? (after ? 'M' : 'D') : 'A'}\t${path}`)).toEqual(
      git('diff', '--cached', '--no-renames', '--name-status').split('\n'),
    )
    expect(beside).toEqual(['nothing in it', 'src/deep/er'])
    const head = git('rev-parse', 'HEAD')
    const { commit: made, record } = await fs.repository.makeCommit(request, draft())
    expect(record).toMatchObject({
      kind: 'git',
      sequence: 2,
      changes: [],
      note: `Committed 6 files as ${made.oid.slice(0, 7)} on filewright/main`,
    })
    expect(git('rev-parse', 'refs/heads/filewright/main')).toBe(made.oid)
    expect(git('log', '-1', '--format=%an <%ae> %aI|%P|%B', made.oid)).toBe(
      `Ada Author <ada@example.com> 2026-01-02T04:04:05+01:00|${head}|Edits\n`,
    )
    expect(await fs.repository.status()).toMatchObject({ base: made.oid, tip: made.oid, changes: [] })
    expect(made.tree).toBe(git('write-tree'))
    expect(git('log', '--format=%s', 'main')).toBe('First')
    expect((await fs.repository.log()).map(({ message }) => message)).toEqual(['Edits\n', 'First\n'])
  }))

test('a chosen set of changes is committed, the rest stays', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    await commit(fs, write(fs, 'src/new', '1'), write(fs, 'other', '2'), remove('src/b.txt', hashOf(fs, 'b\n')))
    const one = await fs.repository.makeCommit({ ...request, paths: [at('src')] }, draft())
    expect(git('show', '--name-status', '--format=', one.commit.oid)).toBe('D\tsrc/b.txt\nA\tsrc/new')
    const { changes } = await fs.repository.status()
    expect(changes.map(({ path }) => path)).toEqual(['other'])
    await expect(fs.repository.makeCommit({ ...request, paths: [at('src')] }, draft())).rejects.toMatchObject({ code: 'no_match' })
    await expect(fs.repository.makeCommit({ ...request, expect: [] }, draft())).rejects.toMatchObject({ code: 'conflict' })
    const two = await fs.repository.makeCommit({ ...request, expect: changes }, draft())
    expect(two.commit.parents).toEqual([one.commit.oid])
    const empty = await fs.repository.makeCommit({ ...request, allowEmpty: true }, draft())
    expect(empty.commit.tree).toBe(two.commit.tree)
    expect((await fs.records()).map(({ kind }) => kind)).toEqual(['git', 'git', 'git', 'call'])
  }))

test('a branch that somebody else moved is not moved, and nothing is lost', () =>
  onRepository(async ({ dir, git, open }) => {
    const fs = await open()
    await commit(fs, write(fs, 'ours', '1'))
    await fs.repository.makeCommit(request, draft())
    await commit(fs, write(fs, 'ours too', '2'))
    git('checkout', '-q', 'filewright/main')
    await expect(fs.repository.makeCommit(request, draft())).rejects.toMatchObject({ code: 'unsupported' })
    const theirs = commitFiles(dir, 'Theirs', { theirs: 'x\n' })
    git('checkout', '-q', 'main')
    await expect(fs.repository.makeCommit(request, draft())).rejects.toMatchObject({ code: 'conflict' })
    expect(git('rev-parse', 'filewright/main')).toBe(theirs)
    const status = await fs.repository.status()
    expect([status.tip, status.changes.map(({ path }) => path)]).toEqual([theirs, ['ours too']])
    const merged = await fs.repository.merge(theirs as Oid)
    expect([merged.kind, merged.changes.map(({ path }) => path)]).toEqual(['fast-forward', ['theirs']])
    const basis = { before: { base: status.base, merging: null }, after: { base: theirs, merging: null } }
    await fs.commit([write(fs, 'theirs', 'x\n')], draft({ basis }))
    await expect(fs.commit([write(fs, 'more', 'x\n')], draft({ basis }))).rejects.toMatchObject({ code: 'conflict' })
    const { commit: made } = await fs.repository.makeCommit(request, draft())
    expect(git('log', '--format=%s', made.oid)).toBe('Edits\nTheirs\nEdits\nFirst')
  }))

test('a merge has two parents', () =>
  onRepository(async ({ dir, git, open }) => {
    git('checkout', '-q', '-b', 'topic')
    const theirs = commitFiles(dir, 'Topic', { 'src/b.txt': 'b of the topic\n' }) as Oid
    git('checkout', '-q', 'main')
    const fs = await open()
    await commit(fs, write(fs, 'src/a.txt', 'ours\n', hashOf(fs, 'a\n')))
    await fs.repository.makeCommit(request, draft())
    const { base } = await fs.repository.status()
    const { kind, changes, conflicts } = await fs.repository.merge(theirs)
    expect([kind, changes.map(({ path }) => path), conflicts]).toEqual(['merge', ['src/b.txt'], []])
    const basis = { before: { base, merging: null }, after: { base, merging: theirs } }
    await fs.commit([write(fs, 'src/b.txt', 'b of the topic\n', hashOf(fs, 'b\n'))], draft({ basis }))
    expect((await fs.repository.status()).merging).toBe(theirs)
    const { commit: made } = await fs.repository.makeCommit(request, draft())
    expect(made.parents).toEqual([base, theirs])
    expect(await fs.repository.status()).toMatchObject({ merging: null, base: made.oid, changes: [] })
    expect(await fs.repository.mergeBase(made.oid, theirs)).toBe(theirs)
  }))

test('branches and tags', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    const head = git('rev-parse', 'HEAD') as Oid
    await fs.repository.createBranch('topic/x', head, draft())
    await expect(fs.repository.createBranch('topic/x', head, draft())).rejects.toMatchObject({ code: 'already_exists' })
    await expect(fs.repository.createBranch('a..b', head, draft())).rejects.toMatchObject({ code: 'invalid_name' })
    await expect(fs.repository.createBranch('gone', 'f'.repeat(40) as Oid, draft())).rejects.toMatchObject({ code: 'not_found' })
    await fs.repository.createTag('light', head, draft())
    await fs.repository.createTag('v1', head, draft(), { message: 'One', tagger: ADA })
    await expect(fs.repository.createTag('v1', head, draft())).rejects.toMatchObject({ code: 'already_exists' })
    git('tag', 'of-a-tree', 'HEAD^{tree}')
    expect(git('cat-file', '-t', 'v1')).toBe('tag')
    expect(await fs.repository.tags()).toEqual([
      { name: 'light', oid: head },
      { name: 'v1', oid: head },
    ])
    expect(await fs.repository.branches()).toEqual([
      { name: 'main', oid: head, current: false, checkedOut: true },
      { name: 'topic/x', oid: head, current: false, checkedOut: false },
    ])
    await expect(fs.repository.deleteBranch('main', draft())).rejects.toMatchObject({ code: 'unsupported' })
    await expect(fs.repository.deleteBranch('filewright/main', draft())).rejects.toMatchObject({ code: 'unsupported' })
    await expect(fs.repository.deleteBranch('nope', draft())).rejects.toMatchObject({ code: 'not_found' })
    // Somebody moved it since it was looked at.
    await expect(fs.repository.deleteBranch('topic/x', draft(), '1'.repeat(40) as Oid)).rejects.toMatchObject({ code: 'conflict' })
    expect(git('rev-parse', 'topic/x').trim()).toBe(head)
    await fs.repository.deleteBranch('topic/x', draft(), head as Oid)
    expect(git('branch', '--list', 'topic/x')).toBe('')
    expect(await fs.repository.resolve('v1~0')).toBe(head)
    expect((await fs.records()).map(({ note }) => note)).toEqual([
      `Deleted the branch topic/x, which was at ${head.slice(0, 7)}`,
      `Tagged ${head.slice(0, 7)} as v1`,
      `Tagged ${head.slice(0, 7)} as light`,
      `Created the branch topic/x at ${head.slice(0, 7)}`,
    ])
  }))

test('HEAD is the commit of the workspace', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    const first = git('rev-parse', 'HEAD')
    await commit(fs, write(fs, 'x', '1'))
    const { commit: made } = await fs.repository.makeCommit(request, draft())
    expect([await fs.repository.resolve('HEAD'), await fs.repository.resolve('HEAD~1')]).toEqual([made.oid, first])
    expect(await fs.repository.entryAt(made.oid, at('x'))).toMatchObject({ mode: '100644' })
    expect((await fs.repository.diff(first as Oid, made.oid)).map(({ path }) => path)).toEqual(['x'])
    await commit(fs, write(fs, 'y', '2'))
    expect((await fs.repository.diff(first as Oid, 'workspace')).map(({ path }) => path)).toEqual(['x', 'y'])
  }))

test('a fork goes its own way from here, with the journal', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    await commit(fs, write(fs, 'x', '1'))
    await fs.repository.fork('other', draft())
    await expect(fs.repository.fork('other', draft())).rejects.toMatchObject({ code: 'already_exists' })
    await expect(fs.repository.fork('../x', draft())).rejects.toMatchObject({ code: 'invalid_name' })
    const other = await open({ workspace: 'other' })
    expect((await other.records()).map(({ sequence }) => sequence)).toEqual([1])
    await commit(other, write(other, 'x', '2', hashOf(fs, '1')))
    expect([await readText(fs, 'x'), await readText(other, 'x')]).toEqual(['1', '2'])
    expect(await fs.repository.workspaces()).toEqual(['main', 'other'])
    await other.repository.makeCommit(request, draft())
    expect(git('show', 'filewright/other:x')).toBe('2')
    expect((await fs.repository.status()).tip).toBe(null)
  }))

test('a workspace can begin elsewhere, and commit to another branch', () =>
  onRepository(async ({ dir, git, open }) => {
    git('tag', 'start')
    commitFiles(dir, 'Second', { second: '2\n' })
    git('branch', 'topic')
    const old = await open({ workspace: 'old', from: 'start' })
    await expect(old.stat(at('second'))).rejects.toMatchObject({ code: 'not_found' })
    await expect(open({ workspace: 'nope', from: 'nope' })).rejects.toMatchObject({ code: 'not_found' })
    const topic = await open({ workspace: 'on-topic', branch: 'topic' })
    await commit(topic, write(topic, 'x', '1'))
    const { commit: made } = await topic.repository.makeCommit(request, draft())
    expect(git('rev-parse', 'topic')).toBe(made.oid)
    await expect(open({ workspace: 'on-topic', branch: 'main' })).rejects.toMatchObject({ code: 'conflict' })
    expect((await (await open({ workspace: 'on-topic' })).repository.status()).branch).toBe('topic')
  }))

test('an empty repository gets its first commit', () =>
  onRepository(async ({ git, open }) => {
    const fs = await open()
    expect(await fs.repository.status()).toMatchObject({ base: null, tip: null, changes: [] })
    expect(await fs.repository.log()).toEqual([])
    await commit(fs, write(fs, 'first', '1'))
    const { commit: made } = await fs.repository.makeCommit(request, draft())
    expect(made.parents).toEqual([])
    expect(git('ls-tree', '--name-only', 'filewright/main')).toBe('first')
    await commit(fs, remove('first', hashOf(fs, '1')))
    const { commit: nothing } = await fs.repository.makeCommit(request, draft())
    expect(git('ls-tree', nothing.oid)).toBe('')
  }, {}))
