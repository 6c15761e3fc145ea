// `node scripts/release-notes.mjs [VERSION]`: prints what CHANGELOG.md says about a version, by default package.json's; without
// a section of its own, what is under Unreleased.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sectionOf } from './lib/changelog.mjs'
import { root, stop } from './lib/ensure.mjs'

const read = (name) => readFileSync(join(root, name), 'utf8')
const version = process.argv[2] ?? JSON.parse(read('package.json')).version
const notes = sectionOf(read('CHANGELOG.md'), version) ?? sectionOf(read('CHANGELOG.md'), 'Unreleased')
if (notes === undefined) stop(`CHANGELOG.md says nothing about ${version}, and has nothing under Unreleased.`)
console.log(notes)
