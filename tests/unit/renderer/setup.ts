/**
 * Loaded before every test file of the window. What a test waits for comes at once, but not on a machine that is busy
 * with something else: the library gives up after a second.
 */
import { configure } from '@testing-library/svelte'

configure({ asyncUtilTimeout: 15_000 })
