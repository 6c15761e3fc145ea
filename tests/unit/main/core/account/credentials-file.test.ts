import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { credentialsFile } from '../../../../../src/main/core/account/credentials-file.ts'
import { makeFolder } from '../../../../kit/folder.ts'

describe('a credentials file', () => {
  it('keeps secrets that only its owner can read, and leaves no other file', async () => {
    const folder = makeFolder('credentials')
    const { keychain, path, ...file } = credentialsFile(join(folder, 'home'))
    expect([file.exists(), await keychain.get('a')]).toEqual([false, null])
    await keychain.set('a', 'one')
    await keychain.set('b', 'two')
    await keychain.set('a', 'three')
    expect([await keychain.get('a'), await keychain.get('b'), keychain.kind]).toEqual(['three', 'two', 'file'])
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'home'))).toEqual(['credentials.json'])
    await keychain.delete('a')
    file.removeIfEmpty()
    expect([await keychain.get('a'), await keychain.get('b'), file.exists()]).toEqual([null, 'two', true])
    await keychain.delete('b')
    file.removeIfEmpty()
    expect(existsSync(path)).toBe(false)
  })

  it.runIf(process.platform !== 'win32')('is refused where others can read it', async () => {
    const { keychain, path, create } = credentialsFile(makeFolder('credentials'))
    create()
    await keychain.set('a', 'sesame')
    chmodSync(path, 0o640)
    await expect(keychain.get('a')).rejects.toMatchObject({
      code: 'keychain',
      hint: expect.stringContaining(`chmod 600 ${path}`) as string,
    })
  })

  it.each(['', '{"secrets":', '{}', '{"secrets":{"a":1}}'])('is refused where it holds %j, unchanged', async (text) => {
    const { keychain, path } = credentialsFile(makeFolder('credentials'))
    writeFileSync(path, text, { mode: 0o600 })
    await expect(keychain.get('a')).rejects.toMatchObject({ code: 'keychain' })
    await expect(keychain.set('a', 'x')).rejects.toMatchObject({ code: 'keychain' })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})
