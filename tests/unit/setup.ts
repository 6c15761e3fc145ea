/**
 * Loaded before every test file. By default fast-check draws about ten elements of a collection, whatever
 * `maxLength` says, so long series would never be tested. An explicit maximum counts here.
 */
import fc from 'fast-check'

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true })
