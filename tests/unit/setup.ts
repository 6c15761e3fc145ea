/** Loaded before every test file. */
import fc from 'fast-check'
import { afterAll } from 'vitest'
import { endFile } from '../kit/at-end.ts'
import '../kit/patience.ts'

// By default fast-check draws about ten elements of a collection, whatever `maxLength` says, so long series would never
// be tested. An explicit maximum counts here.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true })

// The first of a file, so it is done last, behind the file's own.
afterAll(endFile)
