// The bill of materials of what ships, as CycloneDX 1.6: the packages whose licences are in the notices, and what runs them.
// npm's own list leaves out whatever development needs, too, and names what never ships.
import { createHash } from 'node:crypto'

/** The address of an npm package, as package-url writes it. */
export const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

/** A licence as CycloneDX has it: an SPDX expression where it is one. */
const licencesOf = (licence) =>
  licence === ''
    ? []
    : / (OR|AND|WITH) /.test(licence)
      ? [{ expression: licence.replace(/^\(|\)$/g, '') }]
      : [{ license: { id: licence } }]

/** SHA-512 of a package's tarball, from the lockfile. */
const hashesOf = (integrity) =>
  integrity?.startsWith('sha512-')
    ? [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }]
    : []

/** @typedef {{ name: string, version: string, licence: string, integrity?: string }} Shipped */

/**
 * @param {{ name: string, version: string, description: string, license: string }} about the product
 * @param {readonly Shipped[]} packages of npm
 * @param {readonly { name: string, version: string, licence: string, purl: string }[]} platforms what runs them
 * @param {string} timestamp ISO 8601
 */
export function cycloneDx(about, packages, platforms, timestamp) {
  const product = {
    type: 'application',
    'bom-ref': `${about.name}@${about.version}`,
    name: about.name,
    version: about.version,
  }
  const components = [
    ...platforms.map(({ name, version, licence, purl }) => ({
      type: 'platform',
      'bom-ref': purl,
      name,
      version,
      licenses: licencesOf(licence),
      purl,
    })),
    ...packages.map(({ name, version, licence, integrity }) => ({
      type: 'library',
      'bom-ref': purlOf(name, version),
      ...(name.startsWith('@') ? { group: name.split('/')[0], name: name.split('/')[1] } : { name }),
      version,
      scope: 'required',
      hashes: hashesOf(integrity),
      licenses: licencesOf(licence),
      purl: purlOf(name, version),
    })),
  ]
  // The same content has the same number.
  const digest = createHash('sha256')
    .update(JSON.stringify([product, components]))
    .digest('hex')
  const uuid = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ]
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid.join('-')}`,
    version: 1,
    metadata: {
      timestamp,
      component: { ...product, description: about.description, licenses: licencesOf(about.license) },
    },
    components,
    dependencies: [{ ref: product['bom-ref'], dependsOn: components.map((one) => one['bom-ref']) }],
  }
}
